import { createPrivateKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { ConfigError } from "../config/index.ts";
import { isRecord } from "../core/index.ts";

/** A private key that signs, and the name under which a service knows it. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  readonly keyId: string | undefined;
}

interface KeyOptions {
  readonly algorithm?: string | undefined;
  readonly keyId?: string | undefined;
}

/** The algorithms of a curve (RFC 7518, RFC 8037), by its name in OpenSSL. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};
const OF_RSA: readonly string[] = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
/** A shorter RSA key may not sign (RFC 7518, section 3.3). */
const LEAST_RSA_BITS = 2_048;

/** Reads a private key in PEM or as a JWK. Throws a ConfigError, which quotes nothing of it. */
export function readSigningKey(text: string, { algorithm, keyId }: KeyOptions = {}): SigningKey {
  const { key, id } = parseKey(text);
  const possible = algorithmsOf(key);
  const chosen = algorithm ?? possible[0];
  if (chosen === undefined || !possible.includes(chosen)) throw unfit(key, possible, algorithm);
  return { key, algorithm: chosen, keyId: keyId ?? id };
}

function parseKey(text: string): { readonly key: KeyObject; readonly id?: string | undefined } {
  try {
    if (!text.trimStart().startsWith("{")) return { key: createPrivateKey(text) };
    const jwk: unknown = JSON.parse(text);
    const id = isRecord(jwk) && typeof jwk.kid === "string" ? jwk.kid : undefined;
    return { key: createPrivateKey({ key: jwk as JsonWebKey, format: "jwk" }), id };
  } catch {
    // Not quoted: the error of a parser shows what it read.
    throw new ConfigError(
      "This is not a private key. Write one in PEM, as `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256` prints it, or as a JWK; without a passphrase.",
    );
  }
}

/** The algorithms that a key can sign with, the usual one first. */
function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): readonly string[] {
  const { namedCurve = "", modulusLength = 0 } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case "ec":
      return CURVES[namedCurve] === undefined ? [] : [CURVES[namedCurve]];
    case "rsa":
      return modulusLength < LEAST_RSA_BITS ? [] : OF_RSA;
    case "ed25519":
      return ["EdDSA"];
    default:
      return [];
  }
}

function unfit({ asymmetricKeyType }: KeyObject, possible: readonly string[], algorithm: string | undefined) {
  const advice =
    possible.length === 0
      ? `Use a key on P-256, P-384, P-521 or Ed25519, or an RSA key of ${LEAST_RSA_BITS} bits or more.`
      : `Set keyAlgorithm to ${possible.join(", ")}, or leave it out.`;
  return new ConfigError(
    `This ${asymmetricKeyType} key does not sign with ${algorithm ?? "any known algorithm"}. ${advice}`,
  );
}

/** The parts of a private key to redact: the text, and its lines, because a message may quote one of them. */
export function keyValues(text: string): readonly string[] {
  const lines = text.split(/\s*\n\s*/).filter((line) => /^[A-Za-z0-9+/=]{24,}$/.test(line));
  const secretPart = /"d"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  return [text, ...lines, ...(secretPart === undefined ? [] : [secretPart])];
}
