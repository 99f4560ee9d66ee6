import type { Identity } from "../core/index.ts";

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
