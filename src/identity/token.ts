import { createHash, randomBytes } from "node:crypto";

const ALGORITHM = "sha256:";
const RANDOM_BYTES = 32;

/** What the hash of a token looks like, as a regular expression. */
export const TOKEN_HASH_PATTERN = `^${ALGORITHM}[0-9a-fA-F]{64}$`;

/**
 * Makes a bearer token and the hash that stands in the configuration in its place. A random token of this
 * length cannot be guessed, so a plain SHA-256 is enough: slow hashes are for passwords that people choose.
 */
export function newToken(): { readonly token: string; readonly tokenHash: string } {
  const token = `ph_${randomBytes(RANDOM_BYTES).toString("base64url")}`;
  return { token, tokenHash: hashToken(token) };
}

/** The hash of a token, as it stands in the configuration. */
export function hashToken(token: string): string {
  return `${ALGORITHM}${digestOf(token).toString("hex")}`;
}

/** The bytes that two tokens are compared by. */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The bytes that a well-formed hash stands for. */
export function digestOfHash(tokenHash: string): Buffer {
  return Buffer.from(tokenHash.slice(ALGORITHM.length), "hex");
}
