import { type CallError, type IdentityResolver, type Log, messageOf } from "../core/index.ts";
import { ALGORITHMS, type Issuer, identityOfClaims, refused } from "./issuer.ts";
import { type FetchDocument, IssuerKeys, type JwkSet } from "./issuer-keys.ts";
import { digestOf } from "./token.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

type Jose = typeof import("jose");
type LocalKeys = ReturnType<Jose["createLocalJWKSet"]>;
type Claims = import("jose").JWTPayload;

const MAX_TOKEN_LENGTH = 16_384;
const MAX_REMEMBERED = 10_000;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const ACCESS_TOKEN_TYPES = ["at+jwt", "application/at+jwt"];
const PLAIN_TYPES = [undefined, "jwt", "application/jwt"];

/** Options of an issuer resolver. */
interface IssuerResolverOptions {
  readonly fetchDocument: FetchDocument;
  readonly log: Log;
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
}

/** Resolves the tokens of one issuer to identities. */
export interface IssuerResolver {
  readonly issuer: Issuer;
  /**
   * Undefined for a token of another issuer. Throws FORBIDDEN with the reason for an invalid one, and
   * UNAVAILABLE if it cannot be verified now.
   */
  readonly resolve: IdentityResolver;
  /** Reads the keys ahead of the first token; a failure is only logged. */
  prepare(): void;
}

/** Finds identities by the signed tokens (JWT) of an issuer. */
export function createIssuerResolver(issuer: Issuer, options: IssuerResolverOptions): IssuerResolver {
  const { fetchDocument, log, now = Date.now } = options;
  const verified = new VerifiedTokens(MAX_REMEMBERED);
  const { issuer: iss, jwksUri } = issuer;
  // Tokens that were verified with a revoked key must not stay in the cache.
  const onChange = () => verified.clear();
  const keys = new IssuerKeys({ issuer: iss, jwksUri, fetchDocument, log, now, onChange });

  let complained: JwkSet | undefined;
  let imported: { readonly set: JwkSet; readonly keys: LocalKeys } | undefined;

  async function resolve(token: string): ReturnType<IdentityResolver> {
    if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) return undefined;
    const digest = digestOf(token).toString("base64");
    const known = verified.get(digest, now());
    if (known) {
      keys.refreshIfDue();
      return known;
    }
    // Loaded with the first token: a gateway without issuers does without it.
    const jose = await import("jose");
    if (claimedIssuer(token, jose) !== iss) return undefined;
    checkHeader(token, issuer, jose);
    const { era } = verified;
    const claims = await verify(token, jose);
    const identity = identityOfClaims(claims, issuer);
    const until = ((claims.exp ?? 0) + issuer.clockToleranceSeconds) * 1000;
    verified.set(digest, { identity, until, era });
    return identity;
  }

  async function verify(token: string, jose: Jose): Promise<Claims> {
    const set = await keys.current();
    try {
      return await verifyWith(set, token, jose);
    } catch (error) {
      const renewed = error instanceof jose.errors.JWKSNoMatchingKey ? await keys.renewed() : undefined;
      if (!renewed) throw refusalOf(error, set, jose);
      return await verifyWith(renewed, token, jose).catch((again: unknown) => {
        throw refusalOf(again, renewed, jose);
      });
    }
  }

  /** Logs an unusable key, such as one that is too short; once, since any caller can name it. */
  function refusalOf(error: unknown, set: JwkSet, jose: Jose): CallError {
    if (!(error instanceof jose.errors.JOSEError) && complained !== set) {
      complained = set;
      const reason = messageOf(error);
      log.warn("A key of an issuer cannot be used", { issuer: iss, reason });
    }
    return reasonOf(error, jose);
  }

  /** Several keys can match a token without a key id; each is tried. */
  async function verifyWith(set: JwkSet, token: string, jose: Jose): Promise<Claims> {
    const rules = {
      issuer: iss,
      audience: [...issuer.audiences],
      algorithms: allowedAlgorithms(issuer),
      clockTolerance: issuer.clockToleranceSeconds,
      currentDate: new Date(now()),
      requiredClaims: ["exp"],
    };
    try {
      return (await jose.jwtVerify(token, keysIn(set, jose), rules)).payload;
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
      let last: unknown = error;
      for await (const key of error) {
        try {
          return (await jose.jwtVerify(token, key, rules)).payload;
        } catch (failed) {
          if (!(failed instanceof jose.errors.JWSSignatureVerificationFailed)) throw failed;
          last = failed;
        }
      }
      throw last;
    }
  }

  /** Imported keys are kept with their set: to import one takes as long as to check with it. */
  function keysIn(set: JwkSet, jose: Jose): LocalKeys {
    if (imported?.set !== set) {
      imported = { set, keys: jose.createLocalJWKSet(set as unknown as import("jose").JSONWebKeySet) };
    }
    return imported.keys;
  }

  return { issuer, resolve, prepare: () => void keys.current().catch(() => {}) };
}

/** The issuer that a token claims, so that only that issuer's keys are tried. */
function claimedIssuer(token: string, { decodeJwt }: Jose): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Checked before any key is fetched, so that a token with a refused algorithm costs nothing more. */
function checkHeader(token: string, issuer: Issuer, jose: Jose): void {
  const { alg, typ } = headerOf(token, jose);
  if (!allowedAlgorithms(issuer).some((allowed) => allowed === alg))
    throw refused("is not signed in a way that is accepted here.");
  const type: unknown = typeof typ === "string" ? typ.toLowerCase() : typ;
  const isAccessToken = ACCESS_TOKEN_TYPES.some((known) => known === type);
  // RFC 8725, section 3.11: kinds of tokens that share keys are told apart by their type.
  if (!isAccessToken && (issuer.accessTokensOnly || !PLAIN_TYPES.some((known) => known === type))) {
    throw refused("is not an access token.");
  }
}

/** The header of a token; empty if it is not JSON. */
function headerOf(
  token: string,
  { decodeProtectedHeader }: Jose,
): { readonly alg?: unknown; readonly typ?: unknown } {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return {};
  }
}

function allowedAlgorithms({ algorithms }: Issuer): string[] {
  return ALGORITHMS.filter((algorithm) => algorithms.length === 0 || algorithms.includes(algorithm));
}

/** The reason for the holder of the token: enough to act on. */
function reasonOf(error: unknown, { errors }: Jose): CallError {
  if (error instanceof errors.JWTExpired) return refused("has expired. Get a new one.");
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud") return refused("is meant for another audience.");
    if (error.claim === "nbf") return refused("is not valid yet.");
    return refused("lacks what a token must say, or says it wrongly.");
  }
  return refused("cannot be verified with the keys of its issuer.");
}
