import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { keyValues, readSigningKey } from "./signing-key.ts";

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;

test("a key is read in every usual form, and signs with the usual algorithm of its kind", () => {
  const ed = generateKeyPairSync("ed25519").privateKey;
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
  for (const [text, algorithm] of [
    [ec.export({ format: "pem", type: "pkcs8" }), "ES256"],
    [ec.export({ format: "pem", type: "sec1" }), "ES256"],
    [p384.export({ format: "pem", type: "pkcs8" }), "ES384"],
    [rsa.export({ format: "pem", type: "pkcs8" }), "RS256"],
    [rsa.export({ format: "pem", type: "pkcs1" }), "RS256"],
    [ed.export({ format: "pem", type: "pkcs8" }), "EdDSA"],
  ] as const)
    assert.equal(readSigningKey(String(text)).algorithm, algorithm);
  const jwk = JSON.stringify({ ...ec.export({ format: "jwk" }), kid: "from the key" });
  assert.deepEqual([readSigningKey(jwk).algorithm, readSigningKey(jwk).keyId], ["ES256", "from the key"]);
  assert.equal(readSigningKey(jwk, { keyId: "configured" }).keyId, "configured");
  assert.equal(
    readSigningKey(String(rsa.export({ format: "pem", type: "pkcs8" })), { algorithm: "PS256" }).algorithm,
    "PS256",
  );
});

test("what cannot sign is refused with what to do, and nothing of it is quoted", () => {
  const pem = String(ec.export({ format: "pem", type: "pkcs8" }));
  const locked = String(ec.export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "x" }));
  const short = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey;
  const cases: readonly (readonly [string, string | undefined, RegExp])[] = [
    ["a password", undefined, /^This is not a private key\. Write one in PEM/],
    ["{ not json", undefined, /^This is not a private key/],
    ['{"kty":"oct","k":"AAAA"}', undefined, /^This is not a private key/],
    [locked, undefined, /without a passphrase\.$/],
    [pem, "RS256", /^This ec key does not sign with RS256\. Set keyAlgorithm to ES256, or leave it out\.$/],
    [String(short.export({ format: "pem", type: "pkcs8" })), undefined, /an RSA key of 2048 bits or more\.$/],
  ];
  for (const [text, algorithm, message] of cases)
    assert.throws(
      () => readSigningKey(text, { algorithm }),
      (error: Error) => {
        assert.match(error.message, message);
        for (const value of keyValues(text)) assert.ok(!error.message.includes(value));
        return true;
      },
    );
});

test("a key is redacted as a whole and line by line, and so is the secret part of a JWK", () => {
  const pem = String(ec.export({ format: "pem", type: "pkcs8" }));
  const [, first = "", second = ""] = pem.split("\n");
  assert.deepEqual(keyValues(pem).slice(0, 3), [pem, first, second]);
  assert.ok(keyValues(pem).every((value) => !value.startsWith("-----END")));
  const { d, ...rest } = ec.export({ format: "jwk" });
  assert.ok(keyValues(JSON.stringify({ d, ...rest }, undefined, 2)).includes(String(d)));
});
