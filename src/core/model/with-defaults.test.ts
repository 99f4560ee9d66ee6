import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "./with-defaults.ts";

const SCHEMA = {
  type: "object",
  properties: {
    limit: { type: "integer", default: 20 },
    page: { $ref: "#/$defs/page" },
    made: { type: "object", default: {}, properties: { by: { default: "us" } } },
    title: { type: "string" },
  },
  $defs: { page: { type: "object", properties: { size: { default: [10] } } } },
};

test("properties that are missing get the default of the schema, also in objects inside", () => {
  assert.deepEqual(withDefaults(SCHEMA, {}), { limit: 20, made: { by: "us" } });
  assert.deepEqual(withDefaults(SCHEMA, { page: {}, limit: null }), {
    limit: null,
    page: { size: [10] },
    made: { by: "us" },
  });
});

test("a value that misses nothing stays the same, and a default is never shared", () => {
  const whole = { limit: 1, made: { by: "them" } };
  assert.equal(withDefaults(SCHEMA, whole), whole);
  for (const value of [null, 1, "a", [{}]]) assert.equal(withDefaults(SCHEMA, value), value);
  const { page } = withDefaults(SCHEMA, { page: {} }) as { page: { size: unknown } };
  assert.notEqual(page.size, SCHEMA.$defs.page.properties.size.default);
});

test("a schema that refers to itself, or to nothing, ends", () => {
  const looped = { properties: { a: { $ref: "#/properties/a" }, b: { $ref: "#", default: {} } } };
  assert.ok(JSON.stringify(withDefaults(looped, {})).length < 200);
  assert.deepEqual(withDefaults({ $ref: "#/nowhere" }, {}), {});
});
