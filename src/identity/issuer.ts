import type { Identity } from "../core/index.ts";

/** Someone who gives out tokens that are taken here. */
export interface Issuer {
  /** Who signs: tokens and metadata must have exactly this. */
  readonly issuer: string;
  /** Whom a token must be meant for: one of these. */
  readonly audiences: readonly string[];
  /** Begins the ids of all who come from here; the host name of the issuer unless given. */
  readonly name?: string | undefined;
  /** Where the keys are, for an issuer that has no metadata. */
  readonly jwksUri?: string | undefined;
  /** Where a token has its scopes: a claim, or a way to it such as `realm_access.roles`. */
  readonly scopeClaim: string;
  /** The claim that tells one holder from another. */
  readonly idClaim: string;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** Only tokens that were given to these clients; those of all clients where it is empty. */
  readonly clients: readonly string[];
  /** Only tokens that say of themselves that they are access tokens (RFC 9068). */
  readonly accessTokensOnly: boolean;
  /** What each of its holders may take, where that is not what all may. */
  readonly limits?: Identity["limits"] | undefined;
  /** What becomes of mutations that its holders start. */
  readonly mutations?: Identity["mutations"] | undefined;
}

/** What a token may be signed with: only what needs no shared secret, so that nobody who can check can also sign. */
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

/** How an issuer can be called; without a colon, so that an id has one reading. */
export const ISSUER_NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]*$";

/** The name that begins the ids of all who come from an issuer. */
export function nameOfIssuer({ name, issuer }: Pick<Issuer, "name" | "issuer">): string {
  // An IPv6 address as host would bring colons into the name.
  return name ?? new URL(issuer).hostname.replaceAll(/[[\]]/g, "").replaceAll(":", "-");
}
