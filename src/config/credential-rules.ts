import { nearest } from "../core/index.ts";
import { nameOfIssuer } from "../identity/index.ts";
import type { BrokenRule } from "./config-error.ts";
import { CREDENTIAL_KEYS, type OauthConfig, type RemoteCredentials } from "./keys/credentials.ts";
import type { SourceConfig, TlsConfig } from "./keys/sources.ts";
import type { Config, SecretReference } from "./schema.ts";

/** The identity of commands such as `pinhole call`. */
const OPERATOR = "operator";

/** Credentials and addresses of a source that is reached over a network; each kind has some of these keys. */
export interface RemoteSource
  extends Readonly<Partial<Record<(typeof CREDENTIAL_KEYS)[number], SecretReference>>> {
  readonly credentials?: RemoteCredentials;
  readonly oauth?: OauthConfig;
  readonly apiKeys?: Readonly<Record<string, SecretReference>>;
  readonly allowPrivate: boolean;
  readonly tls?: TlsConfig;
}

/** Addresses of a source, by their keys. */
type Addresses = Readonly<Record<string, string | undefined>>;

/** Rules for the credentials of a source that is reached over a network. */
export function remoteRules(source: RemoteSource, addresses: Addresses): readonly BrokenRule[] {
  const { credentials } = source;
  const isEmpty = credentials && Object.keys(credentials.perIdentity).length === 0;
  return [
    ...mixed(source),
    ...tlsRules(source),
    ...(isEmpty
      ? [
          {
            keys: ["credentials"],
            message: "perIdentity is empty. Use token for one credential for all.",
          },
        ]
      : []),
    ...(hasCredential(source) ? plaintextAddresses(source, addresses) : []),
  ];
}

/** A certificate proves nothing without its key, and neither has an effect over a connection without TLS. */
function tlsRules(source: RemoteSource): readonly BrokenRule[] {
  const { tls } = source;
  if (!tls) return [];
  const addresses = Object.values(source).filter((each) => /^(?:https?|wss?):/i.test(String(each)));
  const isClear = addresses.length > 0 && addresses.every((each) => /^(?:http|ws):/i.test(String(each)));
  return [
    ...(Boolean(tls.certificate) === Boolean(tls.key)
      ? []
      : [{ keys: ["tls"], message: "certificate and key belong together. Write both, or neither." }]),
    ...(isClear
      ? [
          {
            keys: ["tls"],
            message: "the address is not https or wss, so this has no effect. Change one of them.",
          },
        ]
      : []),
  ];
}

/** Refuses name and password for a source that takes tokens. */
export function tokensOnly({ credentials }: Pick<RemoteSource, "credentials">): readonly BrokenRule[] {
  if (credentials?.as !== "basic") return [];
  const message = "name and password are for openapi; all others take tokens.";
  return [{ keys: ["credentials", "as"], message }];
}

/** Addresses over which credentials would travel unencrypted. */
export function plaintextAddresses(
  { allowPrivate }: Pick<RemoteSource, "allowPrivate">,
  addresses: Addresses,
): readonly BrokenRule[] {
  if (allowPrivate) return [];
  return Object.entries(addresses).flatMap(([key, address]) => {
    if (address === undefined || !/^(?:http|ws):/i.test(address)) return [];
    const secure = /^ws/i.test(address) ? "wss://" : "https://";
    const message = `the credential and all calls would be sent unencrypted. Write ${secure}, or set allowPrivate: true for a server on this machine or in your own network.`;
    return [{ keys: [key], message }];
  });
}

function hasCredential(source: RemoteSource): boolean {
  const { credentials, oauth } = source;
  return credentials !== undefined || oauth !== undefined || forAll(source).length > 0;
}

function forAll(source: RemoteSource): readonly string[] {
  return [
    ...CREDENTIAL_KEYS.filter((key) => source[key]),
    ...(Object.keys(source.apiKeys ?? {}).length > 0 ? ["apiKeys"] : []),
  ];
}

function mixed(source: RemoteSource): readonly BrokenRule[] {
  const { credentials, oauth } = source;
  if (credentials && oauth)
    return [
      { keys: ["oauth"], message: "a source has credentials or oauth, not both. Remove one of the two." },
    ];
  const own = credentials ? "credentials" : oauth ? "oauth" : undefined;
  if (own === undefined) return [];
  return forAll(source).map((key) => ({
    keys: [key],
    message: `${key} is one credential for all, and ${own} takes its place. Remove one of the two.`,
  }));
}

/** Credentials under an id that no identity has: they would never be used. */
export function unknownHolders(
  { identities, issuers }: Config,
  { credentials }: SourceConfig,
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
      return {
        keys: ["credentials", "perIdentity", id],
        message: `there is no identity ${JSON.stringify(id)}. ${hint}`,
      };
    });
}
