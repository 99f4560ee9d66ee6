import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_SCHEMA } from "../adapters/index.ts";
import { withDefaults } from "./defaults.ts";

const schema = {
  properties: {
    section: {
      default: {},
      properties: { size: { default: 3 }, names: { default: ["a"] }, note: { type: "string" } },
    },
    list: { items: { properties: { on: { default: false } } } },
    record: { additionalProperties: { properties: { on: { default: true } } } },
  },
} as const;

test("a missing section has all its defaults, and a part without default stays missing", () => {
  assert.deepEqual(withDefaults(schema, {}), { section: { size: 3, names: ["a"] } });
});

test("given values are kept, and missing keys beside them get their defaults", () => {
  assert.deepEqual(withDefaults(schema, { section: { size: 0, names: [], note: "" } }), {
    section: { size: 0, names: [], note: "" },
  });
  assert.deepEqual(withDefaults(schema, { section: { note: "x" } }), {
    section: { size: 3, names: ["a"], note: "x" },
  });
});

test("defaults are filled in for items of lists and for values of records with any name", () => {
  const given = {
    section: {},
    list: [{}, { on: true }],
    record: { constructor: {}, toString: { on: false } },
  };
  assert.deepEqual(withDefaults(schema, given), {
    section: { size: 3, names: ["a"] },
    list: [{ on: false }, { on: true }],
    record: { constructor: { on: true }, toString: { on: false } },
  });
});

test("a configuration with defaults is frozen at every depth and shares nothing with its input", () => {
  const given = { deny: ["a/*"], identities: [{ id: "ada", tokenHash: "" }] };
  const config = withDefaults(CONFIG_SCHEMA, given) as typeof given & { server: object };
  given.deny.push("b/*");
  assert.deepEqual(config.deny, ["a/*"]);
  for (const part of [config, config.deny, config.server, config.identities, config.identities[0]]) {
    assert.ok(Object.isFrozen(part));
  }
});
