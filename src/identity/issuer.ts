import { CallError, type Identity, isRecord, type UnknownRecord } from "../core/index.ts";

/** The longest subject of OpenID Connect. */
const MAX_ID_LENGTH = 255;

/** A trusted issuer of tokens. */
export interface Issuer {
  /** The issuer identifier; tokens and metadata must contain exactly this. */
  readonly issuer: string;
  /** Accepted audiences; a token must have one of them. */
  readonly audiences: readonly string[];
  /** Prefix of the ids of its identities; the host name of the issuer by default. */
  readonly name?: string | undefined;
  /** URL of the keys, for an issuer without metadata. */
  readonly jwksUri?: string | undefined;
  /** Claim with the scopes, or the path to it, such as `realm_access.roles`. */
  readonly scopeClaim: string;
  /** The claim that tells one holder from another. */
  readonly idClaim: string;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** Accepted clients; all clients if empty. */
  readonly clients: readonly string[];
  /** Only tokens that say of themselves that they are access tokens (RFC 9068). */
  readonly accessTokensOnly: boolean;
  /** Limits of each identity, if they differ from the default. */
  readonly limits?: Identity["limits"] | undefined;
  /** Policy for mutations of its identities. */
  readonly mutations?: Identity["mutations"] | undefined;
}

/** Accepted algorithms: asymmetric ones only, so that a verifier cannot sign. */
export const ALGORITHMS = [
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
] as const;

/** Pattern of the name of an issuer; without a colon, so that an id is unambiguous. */
export const ISSUER_NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]*$";

/** The prefix of the ids of an issuer's identities. */
export function nameOfIssuer({ name, issuer }: Pick<Issuer, "name" | "issuer">): string {
  // An IPv6 address as host would bring colons into the name.
  return name ?? new URL(issuer).hostname.replaceAll(/[[\]]/g, "").replaceAll(":", "-");
}

/** The identity of a verified token; throws FORBIDDEN unless it is an access token for a bearer. */
export function identityOfClaims(claims: UnknownRecord, issuer: Issuer): Identity {
  refuseOtherKinds(claims);
  if (issuer.clients.length > 0 && !issuer.clients.includes(clientOf(claims) ?? "")) {
    throw refused("was given to a client that is not admitted here.");
  }
  const scopes = Object.freeze([...new Set(scopesOf(claimAt(claims, issuer.scopeClaim)))]);
  const { limits, mutations } = issuer;
  return Object.freeze({
    id: idOf(claims, issuer),
    authenticated: true,
    scopes,
    ...(limits && { limits }),
    ...(mutations && { mutations }),
  });
}

/** Reason why a token is refused, as its holder sees it. */
export function refused(reason: string): CallError {
  return new CallError("FORBIDDEN", `The presented token ${reason}`);
}

/**
 * An issuer signs other things with the same keys, and an audience may be the client itself: an ID token proves a
 * login, not permission to call. A token that is bound to a key must not work without that key.
 */
function refuseOtherKinds(claims: UnknownRecord): void {
  const isIdToken = claims.at_hash !== undefined || claims.c_hash !== undefined || claims.typ === "ID";
  if (isIdToken) throw refused("is an ID token. Present an access token instead.");
  if (claims.events !== undefined || claims.typ === "Refresh" || claims.typ === "Offline") {
    throw refused("is not an access token.");
  }
  if (claims.cnf !== undefined) {
    throw refused("is bound to a key that was not shown. Get one for plain bearer use.");
  }
}

/** The client of a token: `client_id` in RFC 9068, `azp` in OpenID Connect, `appid` elsewhere. */
function clientOf({ client_id, azp, appid }: UnknownRecord): string | undefined {
  return [client_id, azp, appid].find((client) => typeof client === "string");
}

function idOf(claims: UnknownRecord, issuer: Issuer): string {
  const own = claimAt(claims, issuer.idClaim);
  // Control characters would let one id look like another in a log.
  if (typeof own !== "string" || !/^[^\p{Cc}\p{Cf}]+$/u.test(own) || own.length > MAX_ID_LENGTH) {
    throw refused(`does not say whose it is: the claim ${issuer.idClaim} is missing or unusable.`);
  }
  return `${nameOfIssuer(issuer)}:${own}`;
}

/** A claim by its name, which may contain dots, or by its path. */
function claimAt(claims: UnknownRecord, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split(".")
    .reduce<unknown>(
      (part, key) => (isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined),
      claims,
    );
}

function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  if (!Array.isArray(claim)) return [];
  return claim.filter((scope): scope is string => typeof scope === "string" && scope !== "");
}
