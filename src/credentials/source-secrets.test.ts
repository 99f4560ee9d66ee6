import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_SCHEMA, definitionOf } from "../adapters/index.ts";
import { type Config, type SourceConfig, withDefaults } from "../config/index.ts";
import { ANONYMOUS, CallError, type CapabilityProvider, type Identity } from "../core/index.ts";
import { capabilitiesOf, resolveSourceSecrets, sameSecrets, secretValues } from "./source-secrets.ts";

const env = { A: "secret a", B: "secret b", C: "name:pass:word", D: "secret d" };

function resolve(source: object) {
  const { sources } = withDefaults(CONFIG_SCHEMA, { sources: { up: source } }) as Config;
  const placeOf = (keys: readonly string[]) => ({ path: keys.join(".") });
  const config = sources.up as SourceConfig;
  return resolveSourceSecrets("up", (find) => definitionOf(config).secrets(config, find), {
    directory: ".",
    placeOf,
    env,
  });
}

test("what is for all is for discovery too", () => {
  const secrets = resolve({ openapi: "./a.json", token: { env: "A" }, apiKeys: { key: { env: "B" } } });
  assert.deepEqual(secrets.forAll, { token: "secret a", "apiKey:key": "secret b" });
  assert.equal(secrets.discovery, secrets.forAll);
});

test("a caller's credential is never that of discovery", () => {
  const perIdentity = { ada: { env: "A" } };
  const alone = resolve({ mcp: "https://a.test", credentials: { perIdentity } });
  assert.deepEqual([alone.forAll, alone.discovery, alone.otherwise], [{}, {}, undefined]);
  const byDefault = resolve({ mcp: "https://a.test", credentials: { perIdentity, default: { env: "B" } } });
  assert.deepEqual(byDefault.discovery, { token: "secret b" });
  const stated = { perIdentity, default: { env: "B" }, discovery: { env: "D" } };
  assert.deepEqual(resolve({ mcp: "https://a.test", credentials: stated }).discovery, { token: "secret d" });
});

test("name and password are split at the first colon", () => {
  const credentials = { as: "basic", perIdentity: { ada: { env: "C" } } };
  const { perIdentity } = resolve({ openapi: "./a.json", credentials });
  assert.deepEqual(perIdentity?.get("ada"), { username: "name", password: "pass:word" });
  const wrong = { as: "basic", perIdentity: { ada: { env: "A" } } };
  assert.throws(() => resolve({ openapi: "./a.json", credentials: wrong }), /name:password.*no colon/);
});

test("all missing secrets are told at once, each by its key and its reference", () => {
  const credentials = {
    perIdentity: { ada: { env: "MISSING" }, bob: { env: "A" } },
    default: { env: "GONE" },
  };
  assert.throws(
    () => resolve({ mcp: "https://a.test", credentials }),
    /sources\.up\.credentials\.default: .*\{ env: GONE \} is missing[\s\S]*perIdentity\.ada: .*\{ env: MISSING \}/,
  );
});

test("all values are known, and any change is noticed", () => {
  const credentials = { perIdentity: { ada: { env: "A" } }, default: { env: "B" }, discovery: { env: "D" } };
  const secrets = resolve({ mcp: "https://a.test", credentials });
  assert.deepEqual([...secretValues(secrets)].sort(), ["secret a", "secret b", "secret d"]);
  const swapped = { ...credentials, perIdentity: { ada: { env: "D" } } };
  assert.equal(sameSecrets(secrets, resolve({ mcp: "https://a.test", credentials })), true);
  assert.equal(sameSecrets(secrets, resolve({ mcp: "https://a.test", credentials: swapped })), false);
  const oauth = { grant: "client_credentials", clientId: "x", clientSecret: { env: "A" } };
  assert.deepEqual(secretValues(resolve({ mcp: "https://a.test", oauth })), ["secret a"]);
  const identityProvider = {
    issuer: "https://login.test",
    clientId: "x",
    clientSecret: { env: "A" },
    idToken: { env: "B" },
  };
  const enterprise = { ...oauth, grant: "enterprise_managed", clientSecret: { env: "D" }, identityProvider };
  assert.deepEqual([...secretValues(resolve({ mcp: "https://a.test", oauth: enterprise }))].sort(), [
    "secret a",
    "secret b",
    "secret d",
  ]);
  const workload = { grant: "workload_identity", workloadToken: { env: "A" } };
  assert.deepEqual(secretValues(resolve({ mcp: "https://a.test", oauth: workload })), ["secret a"]);
  const basic = { as: "basic", perIdentity: { ada: { env: "C" } } };
  const pair = secretValues(resolve({ openapi: "./a.json", credentials: basic }));
  assert.deepEqual(pair, ["pass:word", "name:pass:word"], "a name alone is not a secret");
});

const identity = (id: string): Identity => ({ id, authenticated: true, scopes: [] });
const { signal } = new AbortController();

async function tokenOf(provider: CapabilityProvider | undefined, who = identity("ada")) {
  return (await provider?.(who, signal))?.get("token");
}

test("without secrets there is nothing to hand out", () => {
  assert.equal(capabilitiesOf("up", { forAll: {}, discovery: {} }), undefined);
});

test("one credential for all is everybody's", async () => {
  const provider = capabilitiesOf("up", { forAll: { token: "shared" }, discovery: {} });
  assert.equal(await tokenOf(provider), "shared");
  assert.equal(await tokenOf(provider, ANONYMOUS), "shared");
});

test("each caller gets its own, and the others the default", async () => {
  const perIdentity = new Map([["ada", { token: "of ada" }]]);
  const secrets = { forAll: {}, discovery: {}, perIdentity, otherwise: { token: "default" } };
  const provider = capabilitiesOf("up", secrets);
  assert.equal(await tokenOf(provider), "of ada");
  for (const id of ["ben", "Ada", "constructor", "__proto__"])
    assert.equal(await tokenOf(provider, identity(id)), "default", id);
});

test("who has none is told so, and what to do", () => {
  const perIdentity = new Map([["ada", { token: "of ada" }]]);
  const provider = capabilitiesOf("up", { forAll: {}, discovery: { token: "for discovery" }, perIdentity });
  const refusal = (who: Identity) => {
    try {
      provider?.(who, signal);
    } catch (error) {
      if (error instanceof CallError) return `${error.code}: ${error.message}`;
    }
    return undefined;
  };
  assert.equal(
    refusal(identity("ben")),
    'UNAUTHORIZED_UPSTREAM: up has no credential for "ben", so nothing was sent. The operator of this gateway can add one under sources.up.credentials.perIdentity, or a default.',
  );
  assert.equal(
    refusal(ANONYMOUS),
    "UNAUTHORIZED_UPSTREAM: up has no credential for a caller without a token, so nothing was sent. Call with a token of an identity that has one.",
  );
  assert.ok(refusal(identity("constructor")));
});
