import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_SCHEMA, checkRules } from "../adapters/index.ts";
import { hashToken } from "../identity/index.ts";
import { withDefaults } from "./defaults.ts";
import { isLoopback } from "./rules.ts";
import type { Config } from "./schema.ts";

const rulesBrokenBy = (given: object) => checkRules(withDefaults(CONFIG_SCHEMA, given) as Config);

test("only this machine can reach 127.0.0.0/8, ::1 and localhost", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost"]) {
    assert.equal(isLoopback(host), true, host);
  }
  for (const host of [
    "0.0.0.0",
    "::",
    "192.168.0.1",
    "128.0.0.1",
    "127.0.0.1.example.com",
    "localhost.example.com",
    "127.1",
    "[::1]",
    "",
    "::ffff:10.0.0.1",
  ]) {
    assert.equal(isLoopback(host), false, host);
  }
});

test("an address that others can reach needs an identity", () => {
  const server = { host: "0.0.0.0" };
  assert.deepEqual(rulesBrokenBy({ server }), [
    {
      keys: ["server", "host"],
      message:
        'others may reach "0.0.0.0", and without identities any of them could call. Run `pinhole token` to make an identity, or listen on 127.0.0.1.',
    },
  ]);
  assert.deepEqual(rulesBrokenBy({ server, identities: [{ id: "ada", tokenHash: hashToken("a") }] }), []);
  assert.deepEqual(rulesBrokenBy({}), []);
});

test("identities that cannot be told apart are refused with their place", () => {
  const ada = { id: "ada", tokenHash: hashToken("a") };
  assert.deepEqual(
    rulesBrokenBy({ identities: [ada, { ...ada, id: "bob" }] }).map(({ keys }) => keys),
    [["identities", "1", "tokenHash"]],
  );
});

test("invalid issuers are refused with their place, and issuers need a public URL", () => {
  const issuer = { issuer: "https://login.example.com", audience: "tools" };
  assert.deepEqual(rulesBrokenBy({ issuers: [issuer] }), []);
  const keysOf = (given: object) => rulesBrokenBy(given).map(({ keys }) => keys.join("."));
  assert.deepEqual(keysOf({ issuers: [{ ...issuer, issuer: "http://login.example.com" }] }), [
    "issuers.0.issuer",
  ]);
  assert.deepEqual(keysOf({ issuers: [issuer, issuer] }), ["issuers.1.issuer"]);
  const server = { host: "0.0.0.0" };
  assert.deepEqual(keysOf({ server, issuers: [issuer] }), ["server.publicUrl"]);
  assert.deepEqual(
    keysOf({ server: { ...server, publicUrl: "https://tools.example" }, issuers: [issuer] }),
    [],
  );
});

test("a source cannot have a reserved name of the gateway", () => {
  assert.deepEqual(
    rulesBrokenBy({
      sources: { services: { plugin: "x" }, sources: { plugin: "y" }, offers: { plugin: "z" } },
    }).map(({ keys }) => keys),
    [
      ["sources", "services"],
      ["sources", "sources"],
      ["sources", "offers"],
    ],
  );
});

test("a source has exactly one kind", () => {
  assert.deepEqual(
    rulesBrokenBy({ sources: { shop: { openapi: "./shop.yaml", operations: { a: { name: "b" } } } } }),
    [],
  );
  const both = { mcp: "https://example.com/mcp", openapi: "./shop.yaml" };
  assert.deepEqual(
    rulesBrokenBy({ sources: { both, none: {} } }).map(({ keys }) => keys),
    [
      ["sources", "both"],
      ["sources", "none"],
    ],
  );
});

test("audit.required needs an audit file", () => {
  assert.deepEqual(rulesBrokenBy({ audit: { required: true } }), [
    {
      keys: ["audit", "required"],
      message: "there is no audit without a file. Name one in audit.file.",
    },
  ]);
  assert.deepEqual(rulesBrokenBy({ audit: { required: true, file: "./audit.jsonl" } }), []);
});

test("callers cannot be told what they lack where what is forbidden is hidden", () => {
  const access = { tellMissingScopes: true, hideForbidden: true };
  assert.deepEqual(rulesBrokenBy({ access }), [
    {
      keys: ["access", "tellMissingScopes"],
      message: "has no effect together with access.hideForbidden: true. Leave out one of them.",
    },
  ]);
  assert.deepEqual(rulesBrokenBy({ access: { tellMissingScopes: true } }), []);
});
