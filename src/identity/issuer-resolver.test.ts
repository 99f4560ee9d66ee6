import assert from "node:assert/strict";
import { test } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { SILENT_LOG } from "../core/index.ts";
import type { Issuer } from "./issuer.ts";
import { createIssuerResolver } from "./issuer-resolver.ts";

const ISSUER = "https://login.example";
const START = 1_800_000_000_000;

interface Pair {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

async function makeKey(kid?: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), ...(kid && { kid }) }, privateKey };
}

function tokenOf({ jwk, privateKey }: Pair, seconds = 60): Promise<string> {
  const said = { iss: ISSUER, aud: "us", sub: "ada", exp: START / 1000 + seconds };
  return new SignJWT(said)
    .setProtectedHeader({ alg: "ES256", ...(jwk.kid && { kid: jwk.kid }) })
    .sign(privateKey);
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token with a forged header and valid claims. */
function madeUp(header: unknown): string {
  return `${part(header)}.${part({ iss: ISSUER, aud: "us", sub: "ada", exp: START / 1000 + 60 })}.AAAA`;
}

/** A resolver with a clock and an issuer that the test controls. */
function setUp(keys: readonly Pair[], more: Partial<Issuer> = {}) {
  const world = { now: START, keys, down: false, reads: 0, warnings: [] as string[] };
  const resolver = createIssuerResolver(
    {
      issuer: ISSUER,
      audiences: ["us"],
      jwksUri: `${ISSUER}/keys`,
      scopeClaim: "scope",
      idClaim: "sub",
      algorithms: [],
      clockToleranceSeconds: 0,
      clients: [],
      accessTokensOnly: false,
      ...more,
    },
    {
      log: { ...SILENT_LOG, warn: (_, fields) => world.warnings.push(String(fields?.reason)) },
      now: () => world.now,
      fetchDocument: async () => {
        world.reads++;
        if (world.down) throw new Error("down");
        return { status: 200, body: { keys: world.keys.map(({ jwk }) => jwk) } };
      },
    },
  );
  return { world, resolve: resolver.resolve };
}

const minutes = (count: number) => count * 60_000;

test("a cached token is refused from the second in which it expires", async () => {
  const key = await makeKey("one");
  const { world, resolve } = setUp([key]);
  const token = await tokenOf(key, 60);
  const first = await resolve(token);
  assert.equal(first?.id, "login.example:ada");
  world.now = START + 59_999;
  assert.equal(await resolve(token), first, "remembered, not checked again");
  world.now = START + 60_000;
  await assert.rejects(resolve(token), { code: "FORBIDDEN", message: /has expired/ });
});

test("a token that names no key is tried with each that fits", async () => {
  const [one, two, foreign] = [await makeKey(), await makeKey(), await makeKey()];
  const { resolve } = setUp([one, two]);
  assert.equal((await resolve(await tokenOf(two)))?.id, "login.example:ada");
  await assert.rejects(resolve(await tokenOf(foreign)), { code: "FORBIDDEN" });
});

test("keys are read again in the background, and one that was taken back is noticed by tokens in use", async () => {
  const [old, next] = [await makeKey("old"), await makeKey("next")];
  const { world, resolve } = setUp([old]);
  const token = await tokenOf(old, 86_400);
  await resolve(token);
  world.keys = [next];
  world.now += minutes(4);
  await resolve(token);
  assert.equal(world.reads, 1);
  world.now += minutes(2);
  await resolve(token);
  await new Promise(setImmediate);
  assert.equal(world.reads, 2);
  await assert.rejects(resolve(token), { code: "FORBIDDEN" });
});

test("unknown keys are looked for three times at once and then every half minute", async () => {
  const key = await makeKey("one");
  const { world, resolve } = setUp([key]);
  await resolve(await tokenOf(key));
  const flood = async () => {
    for (let index = 0; index < 20; index++) {
      const forged = await tokenOf({ ...key, jwk: { kid: `made-up-${world.now}-${index}` } });
      await assert.rejects(resolve(forged), { code: "FORBIDDEN" });
    }
    return world.reads;
  };
  assert.equal(await flood(), 1 + 3);
  world.now += 29_000;
  assert.equal(await flood(), 4);
  world.now += 1_000;
  assert.equal(await flood(), 5);
});

test("known keys outlive their issuer for a day, and not longer", async () => {
  const key = await makeKey("one");
  const { world, resolve } = setUp([key]);
  await resolve(await tokenOf(key));
  world.down = true;
  for (const later of [minutes(10), minutes(61), minutes(60 * 23)]) {
    world.now = START + later;
    const token = await tokenOf(key, 1_000_000 + later);
    assert.equal((await resolve(token))?.id, "login.example:ada", String(later));
  }
  world.now = START + minutes(60 * 24);
  await assert.rejects(resolve(await tokenOf(key, 1_000_000)), { code: "UNAVAILABLE", retryable: true });
  world.down = false;
  world.now += 30_000;
  assert.equal((await resolve(await tokenOf(key, 1_000_000)))?.id, "login.example:ada");
});

test("an issuer that never answered is called again after two seconds, with one request for all waiting callers", async () => {
  const key = await makeKey("one");
  const { world, resolve } = setUp([key]);
  world.down = true;
  const tokens = await Promise.all([1, 2, 3, 4].map((index) => tokenOf(key, 60 + index)));
  const outcomes = await Promise.allSettled(tokens.map((token) => resolve(token)));
  assert.deepEqual([...new Set(outcomes.map(({ status }) => status))], ["rejected"]);
  assert.equal(world.reads, 1);
  world.down = false;
  world.now += 1_999;
  await assert.rejects(resolve(tokens[0] ?? ""), { code: "UNAVAILABLE" });
  world.now += 1;
  assert.equal((await resolve(tokens[0] ?? ""))?.id, "login.example:ada");
});

test("identities of an issuer carry its limits and its mutation policy", async () => {
  const key = await makeKey("one");
  const { resolve } = setUp([key], { limits: { callsPerSecond: 5 }, mutations: "deny" });
  const identity = await resolve(await tokenOf(key));
  assert.deepEqual([identity?.limits, identity?.mutations], [{ callsPerSecond: 5 }, "deny"]);
});

test("a token with an invalid header is refused, not reported as unavailable", async () => {
  const { resolve, world } = setUp([await makeKey("one")]);
  for (const header of ["text", [1], null, 5, {}, { alg: {} }, { alg: "ES256", kid: "one", typ: {} }]) {
    await assert.rejects(resolve(madeUp(header)), { code: "FORBIDDEN" }, JSON.stringify(header));
  }
  assert.equal(world.reads, 0);
});

test("an unusable key makes its tokens invalid, and is logged once", async () => {
  const weak = { kty: "RSA", kid: "weak", alg: "RS256", n: "AQAB", e: "AQAB" };
  const { resolve, world } = setUp([{ jwk: weak } as Pair]);
  for (let each = 0; each < 3; each++) {
    await assert.rejects(resolve(madeUp({ alg: "RS256", kid: "weak" })), { code: "FORBIDDEN" });
  }
  assert.equal(world.warnings.length, 1);
  assert.match(world.warnings[0] ?? "", /2048 bits/);
});
