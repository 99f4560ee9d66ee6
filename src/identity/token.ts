import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Identity, IdentityResolver } from "../core/index.ts";
import { checkIdentities, TOKEN_HASH_PREFIX, type TokenIdentity } from "./check.ts";

const MAX_TOKEN_LENGTH = 4096;
const RANDOM_BYTES = 32;

/**
 * Creates a bearer token and the hash that the configuration has in its place. A random token of this
 * length cannot be guessed, so a plain SHA-256 is enough: slow hashes are for passwords that people choose.
 */
export function newToken(): { readonly token: string; readonly tokenHash: string } {
  const token = `ph_${randomBytes(RANDOM_BYTES).toString("base64url")}`;
  return { token, tokenHash: hashToken(token) };
}

/** The hash of a token, as written in the configuration. */
export function hashToken(token: string): string {
  return `${TOKEN_HASH_PREFIX}${digestOf(token).toString("hex")}`;
}

/** The bytes that two tokens are compared by. */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The bytes of a valid hash. */
function digestOfHash(tokenHash: string): Buffer {
  return Buffer.from(tokenHash.slice(TOKEN_HASH_PREFIX.length), "hex");
}

/**
 * Finds identities by bearer tokens. It compares with every hash, always, so that the time it takes tells
 * nothing about near matches.
 *
 *     const resolveIdentity = createTokenResolver([{ id: "ci", tokenHash: "sha256:…", scopes: ["github"] }]);
 */
export function createTokenResolver(identities: readonly TokenIdentity[]): IdentityResolver {
  const [problem] = checkIdentities(identities);
  if (problem) throw new Error(`Identity ${problem.index + 1}: ${problem.message}`);
  const known = identities.map((identity) => ({
    digest: digestOfHash(identity.tokenHash),
    identity: toIdentity(identity),
  }));

  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const presented = digestOf(token);
    let found: Identity | undefined;
    for (const { digest, identity } of known) {
      if (timingSafeEqual(digest, presented)) found = identity;
    }
    return found;
  };
}

function toIdentity({ id, scopes, resources, limits, mutations }: TokenIdentity): Identity {
  return Object.freeze({
    id,
    authenticated: true,
    scopes: Object.freeze([...scopes]),
    ...(resources && { resources: frozenCopy(resources) }),
    ...(limits && { limits: Object.freeze({ ...limits }) }),
    ...(mutations && { mutations }),
  });
}

function frozenCopy(resources: NonNullable<Identity["resources"]>): NonNullable<Identity["resources"]> {
  const entries = Object.entries(resources).map(([name, actions]) => [name, Object.freeze([...actions])]);
  return Object.freeze(Object.fromEntries(entries));
}

/** Asks one resolver after the other until one knows the token. */
export function resolveInTurn(resolvers: readonly IdentityResolver[]): IdentityResolver {
  return async (token, signal) => {
    for (const resolve of resolvers) {
      const identity = await resolve(token, signal);
      if (identity) return identity;
    }
    return undefined;
  };
}
