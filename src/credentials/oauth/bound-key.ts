import { DpopSession, generateDpopKeyPair } from "@modelcontextprotocol/client";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, importJWK, type JWK } from "jose";
import { isRecord } from "../../core/index.ts";

const ALGORITHM = "ES256";

/** A key that the tokens of a login are bound to (RFC 9449), as it is stored: a private JWK on P-256. */
export interface BoundKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** A new key for the tokens of a login. */
export async function createBoundKey(): Promise<BoundKey> {
  const { privateKey } = await generateDpopKeyPair({ alg: ALGORITHM, extractable: true });
  return (await exportJWK(privateKey)) as unknown as BoundKey;
}

/** Signs proofs with a stored key. */
export async function sessionWith({ d, ...publicJwk }: BoundKey): Promise<DpopSession> {
  const [privateKey, publicKey, thumbprint] = await Promise.all([
    keyFrom({ ...publicJwk, d }),
    keyFrom(publicJwk),
    calculateJwkThumbprint(publicJwk),
  ]);
  return DpopSession.create({ keyPair: { privateKey, publicKey, publicJwk, thumbprint, alg: ALGORITHM } });
}

async function keyFrom(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, ALGORITHM)) as CryptoKey;
}

/** True for a stored key. */
export function isBoundKey(value: unknown): value is BoundKey {
  return isRecord(value) && ["kty", "crv", "x", "y", "d"].every((part) => typeof value[part] === "string");
}

/** True if an authorization server says that a token is bound to the key of the request. */
export function isBound({ token_type: type }: { readonly token_type: string }): boolean {
  return type.toLowerCase() === "dpop";
}
