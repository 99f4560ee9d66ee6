import { createHash, randomBytes } from "node:crypto";

const ALGORITHM = "sha256:";
const RANDOM_BYTES = 32;

/** Regular expression of a token hash. */
export const TOKEN_HASH_PATTERN = `^${ALGORITHM}[0-9a-fA-F]{64}$`;

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
  return `${ALGORITHM}${digestOf(token).toString("hex")}`;
}

/** The bytes that two tokens are compared by. */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The bytes of a valid hash. */
export function digestOfHash(tokenHash: string): Buffer {
  return Buffer.from(tokenHash.slice(ALGORITHM.length), "hex");
}
