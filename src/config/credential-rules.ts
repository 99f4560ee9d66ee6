import { nearest } from "../core/index.ts";
import { nameOfIssuer } from "../identity/index.ts";
import type { BrokenRule } from "./broken-rule.ts";
import type { Config } from "./schema.ts";

type SourceConfig = Config["sources"][string];

/** The ways to say one credential for all. */
const FOR_ALL = ["token", "username", "password", "apiKey", "clientId", "clientSecret"] as const;

/** The commands of the command line call as this one. */
const OPERATOR = "operator";

/** What is wrong with the credentials of sources, although each value fits the schema. */
export function credentialRules(config: Config): readonly BrokenRule[] {
  return Object.entries(config.sources).flatMap(([name, source]) => {
    const at = (keys: readonly string[], message: string): BrokenRule => ({
      keys: ["sources", name, ...keys],
      message,
    });
    return [
      ...mixed(source, at),
      ...misplaced(source, at),
      ...inTheClear(source, at),
      ...unknownHolders(config, source, at),
    ];
  });
}

type At = (keys: readonly string[], message: string) => BrokenRule;

/** Whoever listens on the way would have the credential. */
function inTheClear(source: SourceConfig, at: At): readonly BrokenRule[] {
  const { mcp, openapi, server, peer, documentAuth, allowPrivate } = source;
  if (allowPrivate) return [];
  const addresses = hasCredential(source)
    ? { mcp, server, peer, openapi: documentAuth === false ? undefined : openapi }
    : { peer };
  return Object.entries(addresses)
    .filter(([, address]) => address !== undefined && /^(?:http|ws):/i.test(address))
    .map(([key, address]) => {
      const secure = address?.startsWith("ws") ? "wss://" : "https://";
      return at(
        [key],
        `the credential and all calls would go over the wire in the clear. Write ${secure}, or set allowPrivate: true for a server on this machine or in a network of your own.`,
      );
    });
}

function hasCredential(source: SourceConfig): boolean {
  const { credentials, oauth, apiKeys } = source;
  return (
    credentials !== undefined ||
    oauth !== undefined ||
    Object.keys(apiKeys).length > 0 ||
    FOR_ALL.some((key) => source[key] !== undefined)
  );
}

function mixed(source: SourceConfig, at: At): readonly BrokenRule[] {
  const { credentials, oauth, apiKeys } = source;
  if (credentials && oauth)
    return [at(["oauth"], "a source has credentials or oauth, not both. Remove one of the two.")];
  const own = credentials ? "credentials" : oauth ? "oauth" : undefined;
  if (own === undefined) return [];
  const forAll = [
    ...FOR_ALL.filter((key) => source[key]),
    ...(Object.keys(apiKeys).length > 0 ? ["apiKeys"] : []),
  ];
  return forAll.map((key) =>
    at([key], `${key} is one credential for all, and ${own} takes its place. Remove one of the two.`),
  );
}

function misplaced(source: SourceConfig, at: At): readonly BrokenRule[] {
  const { credentials, oauth, openapi, plugin } = source;
  const broken: BrokenRule[] = [];
  if (source.tokenHeader !== undefined && oauth)
    broken.push(
      at(["tokenHeader"], "tokenHeader is for a token of your own, and oauth gets one. Remove one."),
    );
  if (credentials?.as === "basic" && openapi === undefined)
    broken.push(at(["credentials", "as"], "name and password are for openapi; all others take tokens."));
  if (credentials && plugin === undefined && Object.keys(credentials.perIdentity).length === 0)
    broken.push(at(["credentials"], "perIdentity names nobody. Use token for one credential for all."));
  if (oauth?.grant === "client_credentials" && !(oauth.clientId && oauth.clientSecret))
    broken.push(at(["oauth"], "client_credentials needs a clientId and a clientSecret."));
  if (oauth?.clientSecret && oauth.clientId === undefined)
    broken.push(at(["oauth", "clientSecret"], "a clientSecret belongs to a clientId, and there is none."));
  return broken;
}

/** A credential under a mistyped id would never be used, and nobody would notice why. */
function unknownHolders(
  { identities, issuers }: Config,
  { credentials }: SourceConfig,
  at: At,
): readonly BrokenRule[] {
  const ids = [...identities.map(({ id }) => id), OPERATOR];
  const prefixes = issuers
    .filter(({ issuer }) => URL.canParse(issuer))
    .map((issuer) => `${nameOfIssuer(issuer)}:`);
  const isKnown = (id: string) => ids.includes(id) || prefixes.some((prefix) => id.startsWith(prefix));
  return Object.keys(credentials?.perIdentity ?? {})
    .filter((id) => !isKnown(id))
    .map((id) => {
      const [close] = nearest(id, [...ids, ...prefixes], 1);
      const hint = close === undefined ? "Add it under identities first." : `Did you mean ${close}?`;
      return at(["credentials", "perIdentity", id], `there is no identity ${JSON.stringify(id)}. ${hint}`);
    });
}
