import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../../core/index.ts";
import { type SchemaDetail, shortenSchema } from "./shorten.ts";
import { createSchemaValidator } from "./validator.ts";

const ALL: SchemaDetail = {
  depth: Infinity,
  describe: (text) => text,
  values: Infinity,
  valueBytes: Infinity,
  maxParts: Infinity,
};

const ORDER: JsonSchema = {
  type: "object",
  description: "An order. It has lines.",
  properties: {
    id: { type: "string", examples: ["o1"] },
    buyer: { $ref: "#/$defs/Person" },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
  },
  required: ["id"],
  $defs: {
    Person: { title: "Person", type: "object", properties: { home: { $ref: "#/$defs/Place" } } },
    Place: { type: "object", properties: { city: { type: "string" }, people: { $ref: "#/$defs/Person" } } },
  },
};

const shorten = (schema: JsonSchema, detail: Partial<SchemaDetail> = {}) => {
  const short = shortenSchema(schema, { ...ALL, ...detail });
  assert.ok(short);
  return short;
};

test("a shortened schema marks parts below the depth, and keeps a definition there as an outline", () => {
  assert.deepEqual(shorten(ORDER, { depth: 0, describe: () => "" }), {
    schema: {
      type: "object",
      properties: {
        id: { type: "string" },
        buyer: { $ref: "#/$defs/Person" },
        lines: { type: "array", items: { type: "object", $comment: "left out" } },
      },
      required: ["id"],
      $defs: { Person: { title: "Person", type: "object", $comment: "left out" } },
    },
    leftOut: "properties.lines.items",
  });
});

test("a definition is as deep as the shallowest place that refers to it", () => {
  const { schema, leftOut } = shorten(ORDER, { depth: 2, describe: (text) => text.slice(0, 9) });
  assert.equal(leftOut, undefined);
  assert.deepEqual((schema as { $defs: object }).$defs, (ORDER as { $defs: object }).$defs);
  assert.equal((schema as { description: string }).description, "An order.");
  const deeper = { allOf: [{ properties: { a: { $ref: "#/$defs/Place" } } }, ORDER], ...ORDER };
  assert.equal(shorten(deeper, { depth: 1 }).leftOut, undefined);
});

test("a small schema loses only examples and unused definitions", () => {
  const { $defs, ...rest } = ORDER as { $defs: object };
  const { schema } = shorten({ ...rest, $defs: { ...$defs, Unused: {} } });
  assert.ok(!JSON.stringify(schema).includes("Unused"));
  assert.ok(!JSON.stringify(schema).includes("o1"));
  assert.deepEqual(createSchemaValidator().check(schema, { id: 1 }).length, 1);
});

test("a long enum becomes a few examples, which do not restrict", () => {
  const values = Array.from({ length: 30 }, (_, index) => `v${index}`);
  const short = shorten({ properties: { a: { type: "string", enum: values } } }, { values: 10 });
  assert.deepEqual(short, {
    schema: {
      properties: { a: { type: "string", examples: ["v0", "v1", "v2", "v3", "v4"], $comment: "left out" } },
    },
    leftOut: "properties.a",
  });
});

test("a large default is dropped, and lists of subschemas are shortened", () => {
  const part = { type: "array", items: [{ description: "One." }], default: ["a".repeat(100)], "x-own": "b" };
  assert.deepEqual(shorten({ properties: { part } }, { valueBytes: 50, describe: () => "" }), {
    schema: { properties: { part: { type: "array", items: [{}], "x-own": "b", $comment: "left out" } } },
    leftOut: "properties.part",
  });
  const required = Array.from({ length: 2_000 }, (_, index) => `${index}`);
  assert.equal(shortenSchema({ required }, { ...ALL, maxParts: 1_000 }), undefined);
});

test("a shortened schema has no broken reference", () => {
  const { schema, leftOut } = shorten({
    properties: {
      tree: { $ref: "#" },
      other: { $ref: "#/properties/deep/properties/x", description: "As x." },
      old: { $ref: "#/definitions/a~1b%25" },
      gone: { $ref: "#/definitions/none" },
    },
    definitions: { "a/b%": { type: "number" } },
  });
  assert.deepEqual(schema, {
    properties: {
      tree: { $ref: "#" },
      other: { description: "As x.", $comment: "left out" },
      old: { $ref: "#/definitions/a~1b%25" },
      gone: { $comment: "left out" },
    },
    definitions: { "a/b%": { type: "number" } },
  });
  assert.equal(leftOut, "properties.other");
});

test("a name that JMESPath cannot take unquoted is quoted", () => {
  const part = { properties: { a: {} } };
  const inList = { anyOf: [true, { properties: { "x-y": part } }] };
  assert.equal(shorten(inList, { depth: 0 }).leftOut, 'anyOf[1].properties."x-y"');
  const far = { properties: { a: { $ref: "#/$defs/b.c" } }, $defs: { "b.c": part } };
  assert.equal(shorten(far, { depth: 0 }).leftOut, '"$defs"."b.c"');
});

test("a union keeps its parts, and its discriminator only the name of the property", () => {
  const union = {
    anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }],
    discriminator: { propertyName: "kind", mapping: { a: "#/components/schemas/A" } },
    $defs: { a: { properties: { kind: { const: "a" } } } },
  };
  const expected = { ...union, discriminator: { propertyName: "kind" } };
  assert.deepEqual(shorten(union, { depth: 0 }).schema, expected);
});

test("a schema with too many parts is not shortened at all", () => {
  // Each definition leads to all: written out this would never end.
  const names = Array.from({ length: 300 }, (_, index) => `d${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const schema = { properties, $defs: Object.fromEntries(names.map((name) => [name, { properties }])) };
  assert.equal(shortenSchema(schema, { ...ALL, maxParts: 1_000 }), undefined);
  assert.ok(shortenSchema(schema, { ...ALL, depth: 0, maxParts: 1_000 }));
});

test("a name may be any text", () => {
  const text =
    '{"__proto__":{"a":1},"properties":{"__proto__":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"string"}}}';
  assert.equal(JSON.stringify(shorten(JSON.parse(text) as JsonSchema).schema), text);
});

test("a schema that is not an object is unchanged", () => {
  assert.deepEqual(shorten(true), { schema: true, leftOut: undefined });
  assert.deepEqual(shorten({ items: false, enum: [] }).schema, { items: false, enum: [] });
});
