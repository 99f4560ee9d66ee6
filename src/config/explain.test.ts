import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_SCHEMA } from "../adapters/index.ts";
import { atPointer } from "../core/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import { explainProblem, keysOfPointer, showPath } from "./explain.ts";

function explain(config: object): readonly string[] {
  return createSchemaValidator()
    .check(CONFIG_SCHEMA, config)
    .map(
      (problem) =>
        `${showPath(keysOfPointer(problem.path))}: ${explainProblem(problem, config, CONFIG_SCHEMA)}`,
    );
}

test("a path is written as a.b[0]", () => {
  assert.equal(showPath(["identities", "0", "tokenHash"]), "identities[0].tokenHash");
  assert.equal(showPath(["sources", "my source", "plugin"]), 'sources["my source"].plugin');
  assert.equal(showPath([]), "");
  assert.deepEqual(keysOfPointer("/a~1b/~0c/0"), ["a/b", "~c", "0"]);
  assert.equal(atPointer({ "a/b": 1 }, "/a~1b"), 1);
});

test("a wrong value is shown with what was expected", () => {
  assert.deepEqual(explain({ server: { port: "80" } }), ['server.port: expected integer, found "80"']);
  assert.deepEqual(explain({ log: { level: "loud" } }), [
    'log.level: expected one of "debug", "info", "warn", "error", found "loud"',
  ]);
});

test("an unknown key is refused with the nearest one, or with all known keys", () => {
  assert.deepEqual(explain({ serve: {} }), ["serve: unknown key; did you mean server?"]);
  assert.deepEqual(explain({ mcp: { colour: "red" } }), [
    "mcp.colour: unknown key; known here are expose, reach, only, budgetTokens, overBudget, slowAfterMs, keepAliveMs, sessions",
  ]);
  assert.deepEqual(explain({ access: { toString: 1 } }), [
    "access.toString: unknown key; known here are anonymous, hideForbidden, tellMissingScopes",
  ]);
});

test("a key of an earlier version is refused with what to do about it", () => {
  assert.deepEqual(explain({ search: { indexFile: "./search.index" } }), [
    "search.indexFile: unknown key; remove it, and delete the file: the search index is built at each start, in the background.",
  ]);
});

test("a key without a value is told apart from a wrong value", () => {
  assert.deepEqual(explain({ server: null }), ["server: expected object, found nothing after the colon"]);
});

test("a secret in the configuration is refused with how to refer to it, and is never repeated", () => {
  const advice =
    "Write { env: NAME } or { file: path }; the secret itself never goes into the configuration.";
  assert.deepEqual(explain({ server: { stateKey: "hunter2" } }), [
    `server.stateKey: expected object, found a text. ${advice}`,
  ]);
  for (const stateKey of [
    "hunter2",
    42424242,
    ["hunter2"],
    { env: "hunter2 x" },
    { value: "hunter2" },
    { env: "A", file: "hunter2" },
    {},
  ]) {
    const [text = "", ...more] = explain({ server: { stateKey } });
    assert.match(text, /^server\.stateKey/);
    assert.doesNotMatch([text, ...more].join(), /hunter2|42424242/);
  }
});

test("a token in place of its hash is never repeated", () => {
  const token = "ph_hunter2";
  for (const identities of [
    token,
    [token],
    [{ id: "a", tokenHash: token }],
    [{ id: "a", token }],
    { token },
    [[token]],
  ]) {
    const text = explain({ identities }).join("\n");
    assert.match(text, /^identities/);
    assert.doesNotMatch(text, /hunter2/);
  }
  assert.match(explain({ identities: [{ id: "a", tokenHash: token }] }).join(), /Run `pinhole token`/);
});
