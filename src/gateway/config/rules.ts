import { BlockList, isIP } from "node:net";
import { checkIdentities, checkIssuers } from "../../identity/index.ts";
import type { BrokenRule } from "./broken-rule.ts";
import { credentialRules } from "./credential-rules.ts";
import type { Config } from "./schema.ts";

/**
 * The namespaces of the gateway itself, in which no source of a configuration may be. What connections offer is under the
 * last one, and a server there could answer in the place of whoever offers.
 */
export const OWN_SOURCES: ReadonlySet<string> = new Set(["services", "sources", "offers"]);

/** The rules that a schema cannot say. */
export function checkRules(config: Config): readonly BrokenRule[] {
  return [
    ...takenNames(config),
    ...unclearSources(config),
    ...unusableIdentities(config),
    ...unusableIssuers(config),
    ...namelessResource(config),
    ...openToAll(config),
    ...openStream(config),
    ...clearPeers(config),
    ...credentialRules(config),
    ...requiredAudit(config),
  ];
}

function takenNames({ sources }: Config): readonly BrokenRule[] {
  const message = "the gateway's own operations have this name. Choose another one.";
  return [...OWN_SOURCES]
    .filter((name) => Object.hasOwn(sources, name))
    .map((name) => ({ keys: ["sources", name], message }));
}

/** What kinds of source there are: exactly one of these keys makes a source. */
const SOURCE_KINDS = ["mcp", "openapi", "peer", "plugin"] as const;

function unclearSources({ sources }: Config): readonly BrokenRule[] {
  return Object.entries(sources)
    .filter(([, source]) => SOURCE_KINDS.filter((kind) => source[kind] !== undefined).length !== 1)
    .map(([name]) => ({
      keys: ["sources", name],
      message: `a source has exactly one of ${SOURCE_KINDS.join(", ")}, which says where it comes from.`,
    }));
}

function unusableIdentities({ identities }: Config): readonly BrokenRule[] {
  return checkIdentities(identities).map(({ index, key, message }) => ({
    keys: ["identities", String(index), key],
    message,
  }));
}

function unusableIssuers({ issuers, identities }: Config): readonly BrokenRule[] {
  return checkIssuers(issuers, identities).map(({ index, key, message }) => ({
    keys: ["issuers", String(index), key],
    message,
  }));
}

/** A client asks its issuer for a token for one address, and no name that a request brings along may be that address. */
function namelessResource({ issuers, server: { host, publicUrl } }: Config): readonly BrokenRule[] {
  if (issuers.length === 0 || publicUrl !== undefined || isLoopback(host)) return [];
  const message =
    `clients that are sent to an issuer must be told what ${JSON.stringify(host)} is called. ` +
    "Set server.publicUrl to the address that they use, such as https://tools.example.com.";
  return [{ keys: ["server", "publicUrl"], message }];
}

function openToAll({ identities, issuers, server: { host } }: Config): readonly BrokenRule[] {
  if (isLoopback(host) || identities.length + issuers.length > 0) return [];
  const message =
    `others may reach ${JSON.stringify(host)}, and without identities any of them could call. ` +
    "Run `pinhole token` to make an identity, or listen on 127.0.0.1.";
  return [{ keys: ["server", "host"], message }];
}

function openStream({ identities, issuers, server: { callProtocol } }: Config): readonly BrokenRule[] {
  const { tcp } = callProtocol;
  if (tcp === undefined) return [];
  const keys = ["server", "callProtocol", "tcp"];
  const { host, port } = hostAndPort(tcp);
  if (port > 65_535) return [{ keys, message: `there is no port ${port}. Choose one up to 65535.` }];
  if (isLoopback(host) || identities.length + issuers.length > 0) return [];
  const message =
    `others may reach ${JSON.stringify(host)}, and without identities any of them could call. ` +
    "Run `pinhole token` to make an identity, or listen on 127.0.0.1.";
  return [{ keys, message }];
}

/** The two parts of an address as the schema wants it. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}

function clearPeers({ sources }: Config): readonly BrokenRule[] {
  const message =
    "the token and all calls would go over the wire in the clear. Write wss://, or set allowPrivate: true for a node on this machine or in a network of your own.";
  return Object.entries(sources)
    .filter(([, { peer, allowPrivate }]) => peer?.startsWith("ws://") && !allowPrivate)
    .map(([name]) => ({ keys: ["sources", name, "peer"], message }));
}

function requiredAudit({ audit }: Config): readonly BrokenRule[] {
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
