import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOfMirrors } from "./mirrored-headers.ts";

const property = (schema: object) => ({ type: "object", properties: { a: schema } });
const mirrored = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });

test("arguments are repeated as headers where they are simple and stand in the input itself, however deep", () => {
  for (const schema of [
    { type: "object" },
    property(mirrored("Region")),
    property(property(mirrored("Region", "integer"))),
    { type: "object", properties: { a: mirrored("One"), b: mirrored("Two", "boolean") } },
    // Values are no schemas, and a property may have any name.
    property({ type: "object", default: mirrored(5), examples: [mirrored(5)], enum: [mirrored(5)] }),
    { type: "object", properties: { properties: mirrored("Region"), items: mirrored("Other") } },
  ]) {
    assert.equal(problemOfMirrors(schema), undefined, JSON.stringify(schema));
  }
});

test("a declaration that no header can follow is told", () => {
  const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ type: "object", "x-mcp-header": "A" }, /on what is no property of its input/],
    [property({ type: "array", items: mirrored("A") }), /on what is no property of its input/],
    [property({ anyOf: [mirrored("A")] }), /on what is no property of its input/],
    [
      { type: "object", $defs: { a: property(mirrored("A")) }, properties: {} },
      /on what is no property of its input/,
    ],
    [property(mirrored("")), /is no name of a header/],
    [property(mirrored(5)), /is no name of a header/],
    [property(mirrored("two words")), /is no name of a header/],
    [property(mirrored("a\r\nevil: 1")), /is no name of a header/],
    [property(mirrored("A", "object")), /no string, integer or boolean/],
    [property(mirrored("A", "number")), /no string, integer or boolean/],
    [property({ "x-mcp-header": "A" }), /no string, integer or boolean/],
    [
      { type: "object", properties: { a: mirrored("Same"), b: mirrored("same") } },
      /declares the same x-mcp-header twice/,
    ],
  ];
  for (const [schema, problem] of cases)
    assert.match(String(problemOfMirrors(schema)), problem, JSON.stringify(schema));
});
