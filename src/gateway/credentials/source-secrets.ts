import { keyNameOf } from "../../adapters/from-openapi/index.ts";
import { type Config, ConfigError, resolveSecret, type SecretSurroundings } from "../config/index.ts";

type SourceConfig = Config["sources"][string];

/** Secrets by the names under which capabilities hold them. */
export type Secrets = Readonly<Record<string, string>>;

/** Keys of a source that hold secrets for all; they are also the names under which capabilities hold them. */
const FOR_ALL = ["token", "username", "password", "apiKey", "clientId", "clientSecret"] as const;

/** The secrets of a source, resolved. */
export interface SourceSecrets {
  /** What calls run with; none where it depends on who calls. */
  readonly forAll: Secrets;
  /** What the list or the document is read with. */
  readonly discovery: Secrets;
  /** What each principal's calls run with, where that differs. */
  readonly perIdentity?: ReadonlyMap<string, Secrets>;
  /** What the calls of everybody else run with. */
  readonly otherwise?: Secrets;
  /** The secret of the client by which tokens are got. */
  readonly oauthClient?: string;
}

/** Finds the secrets of a source; throws a ConfigError where one is missing. */
export function resolveSourceSecrets(source: SourceConfig, surroundings: SecretSurroundings): SourceSecrets {
  const { credentials, oauth, apiKeys } = source;
  const find = (reference: Parameters<typeof resolveSecret>[0]) => resolveSecret(reference, surroundings);
  if (!credentials) {
    const named = FOR_ALL.flatMap((key) => {
      const reference = source[key];
      return reference ? [[key, find(reference)] as const] : [];
    });
    const keys = Object.entries(apiKeys).map(
      ([scheme, reference]) => [keyNameOf(scheme), find(reference)] as const,
    );
    const forAll = Object.fromEntries([...named, ...keys]);
    return {
      forAll,
      discovery: forAll,
      ...(oauth?.clientSecret && { oauthClient: find(oauth.clientSecret) }),
    };
  }
  const one = (reference: Parameters<typeof resolveSecret>[0]) => toSecrets(find(reference), credentials.as);
  const otherwise = credentials.default && one(credentials.default);
  return {
    forAll: {},
    perIdentity: new Map(
      Object.entries(credentials.perIdentity).map(([id, reference]) => [id, one(reference)]),
    ),
    ...(otherwise && { otherwise }),
    // A caller's own credential is never used for what the gateway does for all of them.
    discovery: credentials.discovery ? one(credentials.discovery) : (otherwise ?? {}),
  };
}

function toSecrets(secret: string, as: NonNullable<SourceConfig["credentials"]>["as"]): Secrets {
  if (as === "token") return { token: secret };
  const colon = secret.indexOf(":");
  if (colon < 0)
    throw new ConfigError("A credential of the kind basic is name:password, and one of them has no colon.");
  return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
}

/** Whether two sets of secrets are the same, whatever they are. */
export function sameSecrets(one: SourceSecrets, other: SourceSecrets): boolean {
  const facts = (secrets: SourceSecrets) =>
    JSON.stringify({ ...secrets, perIdentity: [...(secrets.perIdentity ?? [])] });
  return facts(one) === facts(other);
}

/** All values that must never be shown. */
export function secretValues({ forAll, discovery, perIdentity, otherwise, oauthClient }: SourceSecrets) {
  const sets = [forAll, discovery, ...(perIdentity?.values() ?? []), otherwise ?? {}];
  const values = sets.flatMap((secrets) => Object.values(secrets));
  return [...new Set([...values, ...(oauthClient === undefined ? [] : [oauthClient])])];
}
