import { BlockList, isIP } from "node:net";
import { RESERVED_NAMESPACES } from "../core/index.ts";
import { checkIdentities, checkIssuers } from "../identity/index.ts";
import type { BrokenRule } from "./config-error.ts";
import { unknownHolders } from "./credential-rules.ts";
import type { SourceConfig } from "./keys/sources.ts";
import { brokenPresets } from "./preset-rules.ts";
import type { Config } from "./schema.ts";
import { kindsOf, type SourceKinds } from "./source-kinds.ts";

/** Facets that always exist: the four tools, and the one that only reads. */
export const BUILT_IN_FACETS = ["core", "query"] as const;

/** Rules that a schema cannot express. */
export function checkRules(config: Config, kinds: SourceKinds): readonly BrokenRule[] {
  return [
    ...checkSourceRules(config, kinds),
    ...unknownHoldersIn(config),
    ...reservedFacets(config),
    ...brokenPresets(config),
    ...invalidIdentities(config),
    ...invalidIssuers(config),
    ...publicUrlRequired(config),
    ...identitiesRequired(config),
    ...identitiesRequiredForTcp(config),
    ...auditFileRequired(config),
    ...toldAlthoughHidden(config),
  ];
}

/** The rules of sources that depend on nothing else in a configuration. */
export function checkSourceRules(config: Config, kinds: SourceKinds): readonly BrokenRule[] {
  return [...reservedNames(config), ...unclearSources(config, kinds), ...brokenInSources(config, kinds)];
}

function reservedNames({ sources }: Config): readonly BrokenRule[] {
  const message = "the gateway's own operations have this name. Choose another one.";
  return [...RESERVED_NAMESPACES]
    .filter((name) => Object.hasOwn(sources, name))
    .map((name) => ({ keys: ["sources", name], message }));
}

function reservedFacets({ facets }: Config): readonly BrokenRule[] {
  const message = "this facet is built in and cannot be changed. Choose another name.";
  return BUILT_IN_FACETS.filter((name) => Object.hasOwn(facets, name)).map((name) => ({
    keys: ["facets", name],
    message,
  }));
}

function unclearSources({ sources }: Config, kinds: SourceKinds): readonly BrokenRule[] {
  return Object.entries(sources)
    .filter(([, source]) => kindsOf(source, kinds).length !== 1)
    .map(([name]) => ({
      keys: ["sources", name],
      message: `a source has exactly one of ${Object.keys(kinds).join(", ")}, which is its kind.`,
    }));
}

/** Rules of each kind about its own keys. */
function brokenInSources({ sources }: Config, kinds: SourceKinds): readonly BrokenRule[] {
  return inSources(sources, (source) => kinds[source.kind]?.rules(source, sources) ?? []);
}

/** Credentials of unknown identities. */
function unknownHoldersIn(config: Config): readonly BrokenRule[] {
  return inSources(config.sources, (source) => unknownHolders(config, source));
}

function inSources(
  sources: Config["sources"],
  rulesOf: (source: SourceConfig) => readonly BrokenRule[],
): readonly BrokenRule[] {
  return Object.entries(sources).flatMap(([name, source]) =>
    rulesOf(source).map(({ keys, message }) => ({ keys: ["sources", name, ...keys], message })),
  );
}

function invalidIdentities({ identities }: Config): readonly BrokenRule[] {
  return checkIdentities(identities).map(({ index, key, message }) => ({
    keys: ["identities", String(index), key],
    message,
  }));
}

function invalidIssuers({ issuers, identities }: Config): readonly BrokenRule[] {
  return checkIssuers(issuers, identities).map(({ index, key, message }) => ({
    keys: ["issuers", String(index), key],
    message,
  }));
}

/** A client asks its issuer for a token for one address, which must not come from the Host header of a request. */
function publicUrlRequired({ issuers, server: { host, publicUrl } }: Config): readonly BrokenRule[] {
  if (issuers.length === 0 || publicUrl !== undefined || isLoopback(host)) return [];
  const message =
    `clients that are sent to an issuer must know the address of ${JSON.stringify(host)}. ` +
    "Set server.publicUrl to the address that they use, such as https://tools.example.com.";
  return [{ keys: ["server", "publicUrl"], message }];
}

function identitiesRequired(config: Config): readonly BrokenRule[] {
  const { host } = config.server;
  if (isLoopback(host) || hasIdentities(config)) return [];
  const message =
    `others may reach ${JSON.stringify(host)}, and without identities any of them could call. ` +
    "Run `pinhole token` to make an identity, or listen on 127.0.0.1.";
  return [{ keys: ["server", "host"], message }];
}

function identitiesRequiredForTcp(config: Config): readonly BrokenRule[] {
  const { tcp } = config.server.callProtocol;
  if (tcp === undefined) return [];
  const keys = ["server", "callProtocol", "tcp"];
  const { host, port } = hostAndPort(tcp);
  if (port > 65_535) return [{ keys, message: `there is no port ${port}. Choose one up to 65535.` }];
  if (isLoopback(host) || hasIdentities(config)) return [];
  const message =
    `others may reach ${JSON.stringify(host)}, and without identities any of them could call. ` +
    "Run `pinhole token` to make an identity, or listen on 127.0.0.1.";
  return [{ keys, message }];
}

/** Callers cannot be told what they lack for an operation that does not exist for them. */
function toldAlthoughHidden({ access }: Config): readonly BrokenRule[] {
  if (!access.tellMissingScopes || !access.hideForbidden) return [];
  const message = "has no effect together with access.hideForbidden: true. Leave out one of them.";
  return [{ keys: ["access", "tellMissingScopes"], message }];
}

/** True if callers can be told apart. */
export function hasIdentities({ identities, issuers }: Pick<Config, "identities" | "issuers">): boolean {
  return identities.length + issuers.length > 0;
}

/** True if callers without a token are accepted. */
export function acceptsAnonymous(config: Pick<Config, "identities" | "issuers" | "access">): boolean {
  return config.access.anonymous ?? !hasIdentities(config);
}

/** Host and port of an address that fits the schema. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}

function auditFileRequired({ audit }: Config): readonly BrokenRule[] {
  if (!audit.required || audit.file !== undefined) return [];
  return [
    { keys: ["audit", "required"], message: "there is no audit without a file. Name one in audit.file." },
  ];
}

/** True for an address that only this machine can reach. A name other than localhost may lead anywhere. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
