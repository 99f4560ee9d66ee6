import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, definePlugin, Registry } from "../../core/index.ts";
import { challengeText, scopesFor } from "./challenge.ts";

function registryWith(access: object, policy: object = {}): Registry {
  const registry = new Registry();
  const shared = { type: "query", description: "Works.", handler: () => null } as const;
  const operations = [
    defineOperation({ ...shared, name: "x/one", access }),
    defineOperation({ ...shared, name: "x/inner", visibility: "internal", access }),
  ];
  const usual = { deny: [], anonymous: true, hideForbidden: false, identitiesConfigured: true };
  registry.apply({ replace: [definePlugin({ name: "x", operations })], policy: { ...usual, ...policy } });
  return registry;
}

function asked(access: object, { held = [] as readonly string[], policy = {}, name = "x/one" } = {}) {
  const identity = { id: "idp:ada", authenticated: true, scopes: held };
  return scopesFor(
    name,
    { identity, internal: false },
    { registry: registryWith(access, policy), obtainable: () => ["a", "b", "c", 'odd"scope'] },
  );
}

test("a challenge has only what there is to say, and nothing in it can end its quotes", () => {
  assert.equal(challengeText({}), 'Bearer realm="pinhole"');
  const text = challengeText({
    error: "invalid_token",
    description: 'It "ends" \\ here\r\nx: y — ü',
    metadataUrl: "https://tools.example/x",
  });
  assert.equal(
    text,
    `Bearer realm="pinhole", error="invalid_token", error_description="It 'ends' ' here??x: y ? ?", resource_metadata="https://tools.example/x"`,
  );
});

test("a challenge asks for the missing scopes, and for those held that are announced", () => {
  assert.deepEqual(asked({ scopes: ["a", "b"] }, { held: ["a", "other"] }), ["a", "b"]);
  assert.deepEqual(asked({ scopes: ["b"] }, { held: ["c"] }), ["c", "b"]);
  assert.deepEqual(asked({ anyScope: ["z", "b", "c"] }), ["b"]);
  assert.deepEqual(asked({ scopes: ["a"], anyScope: ["c", "z"] }, { held: ["z"] }), ["z", "a"].slice(1));
});

test("a challenge asks for no scopes where they would not help, or would reveal a hidden operation", () => {
  assert.equal(asked({ scopes: ["a", "secret"] }), undefined);
  assert.equal(asked({ anyScope: ["secret"] }), undefined);
  assert.equal(asked({ scopes: ['odd"scope'] }), undefined);
  assert.equal(asked({ scopes: ["a"] }, { held: ["a"] }), undefined, "nothing is missing");
  assert.equal(asked({ scopes: ["a"] }, { policy: { hideForbidden: true } }), undefined);
  assert.equal(asked({ scopes: ["a"] }, { policy: { deny: ["x/*"] } }), undefined);
  assert.equal(asked({ scopes: ["a"] }, { name: "x/inner" }), undefined);
  assert.equal(asked({ scopes: ["a"] }, { name: "x/none" }), undefined);
});
