import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOfSchema } from "./schema-problem.ts";

test("a schema with only valid keywords has no problem", () => {
  for (const schema of [
    true,
    false,
    {},
    { type: ["string", "null"], enum: ["a", null], description: "A letter.", "x-own": 1 },
    { properties: { type: { type: "string" }, $ref: { type: "string" } }, required: [] },
    { $ref: "#/$defs/node", $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } } },
    { $defs: { a: { $anchor: "here" } }, allOf: [{ $ref: "#here" }] },
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      items: [{ type: "string" }],
      additionalItems: false,
    },
    { patternProperties: { "^x-": true }, propertyNames: { pattern: "^(?!a)" }, minProperties: 1 },
    {
      const: { type: "no schema here", required: 7 },
      examples: [{ $ref: "#/nowhere" }],
      default: { type: 1 },
    },
  ])
    assert.equal(problemOfSchema(schema), undefined, JSON.stringify(schema));
});

test("an invalid keyword of a schema is reported with its path", () => {
  for (const [schema, words] of [
    ["text", /must be an object or a boolean/],
    [{ type: "objekt" }, /^\/type must be one of .*, not "objekt"$/],
    [{ type: [] }, /^\/type must be/],
    [{ type: "object", required: "a" }, /^\/required must be a list of texts, not "a"$/],
    [{ properties: ["a"] }, /^\/properties must be an object with a schema for each name/],
    [{ properties: { "a/b": { type: "strng" } } }, /^\/properties\/a~1b\/type must be/],
    [{ properties: { a: "string" } }, /^\/properties\/a must be a schema/],
    [{ items: { minLength: -1 } }, /^\/items\/minLength must be a whole number/],
    [{ anyOf: [] }, /^\/anyOf must be a list of schemas, not \[\]/],
    [{ anyOf: [true, 7] }, /^\/anyOf\/1 must be a schema/],
    [{ pattern: "(" }, /^\/pattern must be a regular expression/],
    [
      { properties: { a: { $ref: "#/$defs/none" } } },
      /^\/properties\/a\/\$ref leads to "#\/\$defs\/none", which is/,
    ],
    [{ $ref: "https://example.com/schema" }, /which is not in this schema, and nothing is fetched/],
    [{ enum: "a" }, /^\/enum must be a list of values/],
    [{ additionalProperties: "no" }, /^\/additionalProperties must be a schema/],
  ] as const)
    assert.match(problemOfSchema(schema) ?? "none", words, JSON.stringify(schema));
});

test("a schema that contains itself is walked once", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { self: schema };
  assert.equal(problemOfSchema(schema), undefined);
});
