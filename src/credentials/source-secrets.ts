import { createSecureContext } from "node:tls";
import {
  ConfigError,
  type ConfigProblem,
  CREDENTIAL_KEYS,
  type OauthConfig,
  type RemoteCredentials,
  type RemoteSource,
  resolveSecret,
  type SecretReference,
  type SecretSurroundings,
  type TlsConfig,
} from "../config/index.ts";
import { CallError, Capabilities, type CapabilityProvider, type Identity } from "../core/index.ts";
import type { OutboundTls } from "../outbound/index.ts";
import { keyValues, readSigningKey } from "./signing-key.ts";

/** The name of a token in capabilities. */
export const TOKEN = "token";

/** Secrets by their names in capabilities. */
export type Secrets = Readonly<Record<string, string>>;

/** The secrets of a source, resolved. */
export interface SourceSecrets {
  /** Credential of every call; empty if it depends on the caller. */
  readonly forAll: Secrets;
  /** Credential for the list or the document. */
  readonly discovery: Secrets;
  /** Credentials by principal, if they differ. */
  readonly perIdentity?: ReadonlyMap<string, Secrets>;
  /** Credential of all other principals. */
  readonly otherwise?: Secrets;
  /** Secrets by which the gateway gets tokens. */
  readonly oauth?: OauthSecrets;
  /** Certificates, and the key of ours. */
  readonly tls?: OutboundTls;
}

/** Secrets under `oauth` of a source. */
export interface OauthSecrets {
  readonly clientSecret?: string;
  readonly privateKey?: string;
  readonly workloadToken?: string;
  readonly idToken?: string;
  readonly identityProviderSecret?: string;
}

/** Resolves the secrets of a source. Throws one ConfigError about all missing or unusable ones. */
export function resolveSourceSecrets(
  name: string,
  secretsOf: (find: FindSecret) => SourceSecrets,
  surroundings: SecretSurroundings,
): SourceSecrets {
  const problems: ConfigProblem[] = [];
  const find = <Found>(
    reference: SecretReference,
    keys: readonly string[],
    make: (secret: string) => Found,
  ) => {
    const at = ["sources", name, ...keys];
    try {
      return make(resolveSecret(reference, at, surroundings));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems.map(({ message }) => ({ ...surroundings.placeOf(at), message })));
      // Continues, so that the error below names everything that is missing.
      return undefined as Found;
    }
  };
  const found = secretsOf(find);
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

/** Resolves the secret behind a reference and converts it; the keys are those below the source. */
export type FindSecret = <Found>(
  reference: SecretReference,
  keys: readonly string[],
  make: (secret: string) => Found,
) => Found;

const itself = (secret: string) => secret;

/** Keys of a plugin's credentials that are not names of secrets. */
const NOT_NAMES: ReadonlySet<string> = new Set(["perIdentity", "default"]);

interface PluginSecrets {
  readonly credentials?: {
    readonly perIdentity?: Readonly<Record<string, SecretReference>>;
    readonly default?: SecretReference;
  };
}

/** The secrets of a source on the network. */
export function secretsOfRemote(source: RemoteSource, find: FindSecret): SourceSecrets {
  const secrets = credentialsOfRemote(source, find);
  return source.tls ? { ...secrets, tls: tlsOf(source.tls, find) } : secrets;
}

/** Throws a ConfigError where the parts do not fit: files are renewed one after the other. */
function tlsOf({ ca, certificate, key, serverName }: TlsConfig, find: FindSecret): OutboundTls {
  const tls = {
    ...(ca && { ca: find(ca, ["tls", "ca"], itself) }),
    ...(certificate && { cert: find(certificate, ["tls", "certificate"], itself) }),
    ...(key && { key: find(key, ["tls", "key"], itself) }),
  };
  try {
    createSecureContext(tls);
  } catch {
    // The message of the library could contain parts of the key.
    throw new ConfigError(
      "tls cannot be used: a part is not valid PEM, or the key does not belong to the certificate.",
    );
  }
  return serverName === undefined ? tls : { ...tls, serverName };
}

function credentialsOfRemote(source: RemoteSource, find: FindSecret): SourceSecrets {
  const { credentials, oauth, apiKeys = {} } = source;
  if (!credentials) {
    const named = CREDENTIAL_KEYS.flatMap((key) => {
      const reference = source[key];
      return reference ? [[key, find(reference, [key], itself)] as const] : [];
    });
    const keys = Object.entries(apiKeys).map(
      ([scheme, reference]) => [keyNameOf(scheme), find(reference, ["apiKeys", scheme], itself)] as const,
    );
    const forAll = Object.fromEntries([...named, ...keys]);
    return { forAll, discovery: forAll, ...(oauth && { oauth: secretsOfOauth(oauth, find) }) };
  }
  const one = (reference: SecretReference, ...keys: readonly string[]) =>
    find(reference, ["credentials", ...keys], (secret) => toSecrets(secret, credentials.as));
  const otherwise = credentials.default && one(credentials.default, "default");
  return {
    forAll: {},
    perIdentity: new Map(
      Object.entries(credentials.perIdentity).map(([id, reference]) => [
        id,
        one(reference, "perIdentity", id),
      ]),
    ),
    ...(otherwise && { otherwise }),
    // Discovery is for all callers, so it never uses the credential of one.
    discovery: credentials.discovery ? one(credentials.discovery, "discovery") : (otherwise ?? {}),
  };
}

function secretsOfOauth(oauth: OauthConfig, find: FindSecret): OauthSecrets {
  const { clientSecret, privateKey, keyAlgorithm: algorithm, workloadToken, identityProvider } = oauth;
  const usable = (text: string) => {
    readSigningKey(text, { algorithm });
    return text;
  };
  return {
    ...(clientSecret && { clientSecret: find(clientSecret, ["oauth", "clientSecret"], itself) }),
    ...(privateKey && { privateKey: find(privateKey, ["oauth", "privateKey"], usable) }),
    ...(workloadToken && { workloadToken: find(workloadToken, ["oauth", "workloadToken"], itself) }),
    ...(identityProvider && {
      idToken: find(identityProvider.idToken, ["oauth", "identityProvider", "idToken"], itself),
    }),
    ...(identityProvider?.clientSecret && {
      identityProviderSecret: find(
        identityProvider.clientSecret,
        ["oauth", "identityProvider", "clientSecret"],
        itself,
      ),
    }),
  };
}

/** The secrets of a plugin: each caller has the shared ones and its own. */
export function secretsOfPlugin({ credentials }: PluginSecrets, find: FindSecret): SourceSecrets {
  const { perIdentity = {}, default: otherwise } = credentials ?? {};
  const named = Object.entries(credentials ?? {}).filter(([name]) => !NOT_NAMES.has(name));
  const forAll = Object.fromEntries(
    named.map(([name, reference]) => [
      name,
      find(reference as SecretReference, ["credentials", name], itself),
    ]),
  );
  const withToken = (reference: SecretReference, ...keys: readonly string[]) => ({
    ...forAll,
    token: find(reference, ["credentials", ...keys], itself),
  });
  const ids = Object.entries(perIdentity);
  const everybody = otherwise ? withToken(otherwise, "default") : forAll;
  if (ids.length === 0) return { forAll: everybody, discovery: {} };
  return {
    forAll: {},
    discovery: {},
    perIdentity: new Map(ids.map(([id, reference]) => [id, withToken(reference, "perIdentity", id)])),
    ...(otherwise && { otherwise: everybody }),
  };
}

function toSecrets(secret: string, as: RemoteCredentials["as"]): Secrets {
  if (as === "token") return { token: secret };
  const colon = secret.indexOf(":");
  if (colon < 0)
    throw new ConfigError("A credential of the kind basic is name:password, and this one has no colon.");
  return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
}

/** True for two equal sets of secrets. */
export function sameSecrets(one: SourceSecrets, other: SourceSecrets): boolean {
  const facts = (secrets: SourceSecrets) =>
    JSON.stringify({ ...secrets, perIdentity: [...(secrets.perIdentity ?? [])] });
  return facts(one) === facts(other);
}

/** True for a key that is a name: names are part of ordinary answers and open nothing by themselves. */
export function isNameOnly(key: string | undefined): boolean {
  return key === "username" || key === "clientId";
}

/** The values of a credential to redact: everything except names, and name and password as they are sent together. */
function redactedOf(secrets: Secrets): string[] {
  const { username, password = "" } = secrets;
  const values = Object.entries(secrets).flatMap(([key, value]) => (isNameOnly(key) ? [] : [value]));
  return username === undefined ? values : [...values, `${username}:${password}`];
}

/** The values to redact from everything that the source says, for every caller. */
export function ownSecretValues({
  discovery,
  oauth: { privateKey, ...others } = {},
  tls,
}: SourceSecrets): readonly string[] {
  const key = [privateKey, tls?.key].flatMap((pem) => (pem === undefined ? [] : keyValues(pem)));
  return [...redactedOf(discovery), ...Object.values(others), ...key];
}

/** All values that must never be shown. */
export function secretValues(secrets: SourceSecrets): readonly string[] {
  const { forAll, perIdentity, otherwise } = secrets;
  const sets = [forAll, ...(perIdentity?.values() ?? []), otherwise ?? {}];
  return [...new Set([...sets.flatMap(redactedOf), ...ownSecretValues(secrets)])];
}

/** The name of one scheme's API key in capabilities, for a document with several. */
export function keyNameOf(scheme: string): string {
  return `apiKey:${scheme}`;
}

/**
 * The credentials of a source's calls: always the principal's own, even in a composed call. A principal without one gets an
 * error before anything is sent, and never another principal's.
 */
export function capabilitiesOf(source: string, secrets: SourceSecrets): CapabilityProvider | undefined {
  const { forAll, perIdentity, otherwise } = secrets;
  if (!perIdentity) {
    if (Object.keys(forAll).length === 0) return undefined;
    const shared = toCapabilities(forAll);
    return () => shared;
  }
  const own = new Map([...perIdentity].map(([id, of]) => [id, toCapabilities(of)]));
  const rest = otherwise && toCapabilities(otherwise);
  return (principal) => own.get(principal.id) ?? rest ?? refuse(source, principal);
}

function toCapabilities(secrets: Secrets): Capabilities {
  return new Capabilities(secrets, redactedOf(secrets));
}

function refuse(source: string, { id, authenticated }: Identity): never {
  const who = authenticated ? JSON.stringify(id) : "a caller without a token";
  const advice = authenticated
    ? `The operator of this gateway can add one under sources.${source}.credentials.perIdentity, or a default.`
    : "Call with a token of an identity that has one.";
  throw new CallError(
    "UNAUTHORIZED_UPSTREAM",
    `${source} has no credential for ${who}, so nothing was sent. ${advice}`,
  );
}
