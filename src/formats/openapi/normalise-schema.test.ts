import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce } from "../../core/index.ts";
import { normaliseSchema } from "./normalise-schema.ts";

const normalise = (schema: unknown, dialect: "openapi-3.0" | "openapi-3.1" = "openapi-3.0") =>
  atOnce(
    normaliseSchema(schema, {
      dialect,
      direction: "request",
      refer: (reference) => reference.replace("#/", "#/$defs/"),
      oneSidedIn: () => new Set(),
    }),
  );

test("nullable becomes null among the types, or one more choice", () => {
  assert.deepEqual(normalise({ type: "string", nullable: true }), { type: ["string", "null"] });
  assert.deepEqual(normalise({ type: ["string", "null"], nullable: true }, "openapi-3.1"), {
    type: ["string", "null"],
  });
  assert.deepEqual(normalise({ description: "d", allOf: [{ $ref: "#/A" }], nullable: true }), {
    description: "d",
    anyOf: [{ allOf: [{ $ref: "#/$defs/A" }] }, { type: "null" }],
  });
  assert.deepEqual(normalise({ nullable: true }), {});
});

test("nullable allows null also with an enum or a reference, and as x-nullable of Swagger 2", () => {
  assert.deepEqual(normalise({ type: "string", enum: ["a"], nullable: true }), {
    type: ["string", "null"],
    enum: ["a", null],
  });
  assert.deepEqual(normalise({ enum: ["a", null], nullable: true }), { enum: ["a", null] });
  assert.deepEqual(normalise({ $ref: "#/A", description: "d", nullable: true }), {
    description: "d",
    anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }],
  });
  assert.deepEqual(normalise({ type: "string", "x-nullable": true }), { type: ["string", "null"] });
});

test("exclusive bounds that are flags become bounds", () => {
  assert.deepEqual(
    normalise({ type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }),
    {
      type: "number",
      exclusiveMinimum: 1,
      maximum: 9,
    },
  );
  assert.deepEqual(normalise({ exclusiveMinimum: 3 }, "openapi-3.1"), { exclusiveMinimum: 3 });
});

test("before 3.1, only the description next to a reference counts", () => {
  const schema = { $ref: "#/A", description: "d", maxLength: 3 };
  assert.deepEqual(normalise(schema), { $ref: "#/$defs/A", description: "d" });
  assert.deepEqual(normalise(schema, "openapi-3.1"), { $ref: "#/$defs/A", description: "d", maxLength: 3 });
});

test("invalid keywords and documentation keywords of a schema are dropped", () => {
  assert.deepEqual(
    normalise({
      type: "any",
      required: true,
      enum: "a",
      minLength: "3",
      pattern: 7,
      xml: {},
      "x-a": 1,
      $id: "u",
      items: 5,
      example: "e",
      externalDocs: {},
    }),
    { examples: ["e"] },
  );
  assert.deepEqual(normalise({ type: "array", items: [{ type: "string" }] }), {
    type: "array",
    prefixItems: [{ type: "string" }],
  });
  assert.deepEqual(normalise({ type: "string", format: "binary" }), {
    type: "string",
    contentEncoding: "base64",
  });
});

test("binary strings are base64, also as contentMediaType of 3.1", () => {
  const picture = { type: "string", contentMediaType: "image/png" };
  const encoded = { ...picture, contentEncoding: "base64url" };
  assert.deepEqual(normalise(picture, "openapi-3.1"), { ...picture, contentEncoding: "base64" });
  assert.deepEqual(normalise(encoded, "openapi-3.1"), encoded);
  for (const contentMediaType of ["text/markdown", "image/svg+xml", "application/jwt"]) {
    const text = { type: "string", contentMediaType };
    assert.deepEqual(normalise(text, "openapi-3.1"), text);
  }
});

test("a property may have the name of a keyword", () => {
  const properties = { $ref: { type: "string" }, nullable: { type: "boolean" }, properties: { $ref: "#/A" } };
  assert.deepEqual(normalise({ properties }), {
    properties: {
      $ref: { type: "string" },
      nullable: { type: "boolean" },
      properties: { $ref: "#/$defs/A" },
    },
  });
});

test("a union with a discriminator accepts a value that matches several branches, and its mapping refers to the definitions", () => {
  const mapping = { a: "#/A", b: "B", c: "#/C" };
  const discriminator = { propertyName: "kind", mapping };
  const parts = [{ $ref: "#/A" }, { $ref: "#/B" }];
  const rewritten = { propertyName: "kind", mapping: { a: "#/$defs/A", b: "#/$defs/B", c: "#/C" } };
  const union = [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }];
  assert.deepEqual(normalise({ oneOf: parts, discriminator }), { anyOf: union, discriminator: rewritten });
  assert.deepEqual(normalise({ anyOf: parts, discriminator }), { anyOf: union, discriminator: rewritten });
  assert.deepEqual(normalise({ oneOf: parts }), { oneOf: union });
  assert.deepEqual(normalise({ properties: {}, discriminator }), { properties: {}, discriminator });
  assert.deepEqual(normalise({ oneOf: parts, discriminator: {} }), { oneOf: union, discriminator: {} });
});
