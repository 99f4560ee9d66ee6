import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

test("a schema is compiled once for all values", () => {
  const { check } = createSchemaValidator();
  const { schema, reads } = counted();
  assert.equal(check(schema, "ab").length, 0);
  assert.equal(check(schema, "a").length, 1);
  assert.equal(reads(), 1);
});

test("a full cache forgets the schema that was not used recently", () => {
  const { check } = createSchemaValidator({ cacheSize: 1 });
  const [first, second, third] = [counted(), counted(), counted()];
  for (const { schema } of [first, second, first, third, first]) check(schema, "a");
  assert.deepEqual([first.reads(), second.reads(), third.reads()], [1, 1, 1]);
  check(second.schema, "a");
  check(first.schema, "a");
  assert.deepEqual([first.reads(), second.reads(), third.reads()], [1, 2, 1]);
  check(third.schema, "a");
  assert.equal(third.reads(), 2);
});

test("only the parts that a value reaches are compiled", () => {
  const { check } = createSchemaValidator();
  const part = counted();
  const schema = { properties: { a: part.schema }, $defs: { b: part.schema } };
  check(schema, { b: 1 });
  assert.equal(part.reads(), 0);
  assert.equal(check(schema, { a: "a" }).length, 1);
  assert.equal(part.reads(), 1);
});

test("frozen schemas and values can be checked", () => {
  const schema = deepFreeze({
    $id: "https://example.test/",
    enum: [{ b: 1, a: [{}, 1] }],
    properties: { a: { uniqueItems: true, contains: {} } },
    dependentRequired: { a: ["b"] },
    anyOf: [{ $ref: "#any" }, { not: {} }],
    unevaluatedProperties: { type: "number" },
    $defs: { any: { $anchor: "any" } },
  });
  assert.deepEqual(createSchemaValidator().check(schema, deepFreeze({ a: [{}, 1], b: 1 })), []);
});

/** A schema for strings of two characters that counts its reads. */
function counted(): { readonly schema: JsonSchema; reads(): number } {
  let reads = 0;
  const schema = Object.defineProperty({}, "minLength", {
    enumerable: true,
    get() {
      reads++;
      return 2;
    },
  });
  return { schema, reads: () => reads };
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
