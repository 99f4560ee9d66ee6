import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isRecord, type UnknownRecord } from "../../core/index.ts";
import { readDocument } from "./read-document.ts";

const OK = { 200: { description: "Fine.", content: { "application/json": { schema: { type: "string" } } } } };

function read(paths: object, rest: object = {}) {
  return readDocument({ root: { openapi: "3.0.3", info: { title: "T" }, paths, ...rest } });
}

function propertiesOf(schema: unknown): UnknownRecord {
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

describe("schemas", () => {
  const components = {
    schemas: {
      Node: {
        type: "object",
        properties: {
          next: { $ref: "#/components/schemas/Node" },
          leaf: { $ref: "#/components/schemas/Leaf" },
        },
      },
      Leaf: { type: "string" },
      Unused: { type: "string" },
    },
  };
  const body = {
    requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } },
  };
  const paths = { "/a": { post: { ...body, responses: OK }, put: { ...body, responses: OK } } };

  test("a schema has exactly the definitions that it needs, also in cycles", () => {
    const [first] = read(paths, { components }).operations;
    assert.deepEqual(first?.inputSchema, {
      type: "object",
      properties: { body: { $ref: "#/$defs/Node" } },
      additionalProperties: false,
      $defs: {
        Node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/Node" }, leaf: { $ref: "#/$defs/Leaf" } },
        },
        Leaf: { type: "string" },
      },
    });
  });

  test("schemas are shared in memory by operations that need the same ones", () => {
    const [one, other] = read(paths, { components }).operations;
    const definitions = (schema: unknown) => (isRecord(schema) ? schema.$defs : undefined);
    assert.ok(definitions(one?.inputSchema));
    assert.equal(definitions(one?.inputSchema), definitions(other?.inputSchema));
  });

  test("schemas are found in files next to the document, relative to the referring file", () => {
    const files = new Map<string, unknown>([
      [
        "parts/pet.yaml",
        {
          Pet: {
            type: "object",
            properties: { tag: { $ref: "../common.json#/Tag" }, self: { $ref: "#/Pet" } },
          },
        },
      ],
      ["common.json", { Tag: { type: "string" } }],
    ]);
    const root = {
      openapi: "3.1.0",
      paths: {
        "/a": {
          post: {
            requestBody: { content: { "application/json": { schema: { $ref: "./parts/pet.yaml#/Pet" } } } },
            responses: OK,
          },
        },
      },
    };
    const { operations, warnings } = readDocument({ root, files });
    assert.deepEqual(warnings, []);
    assert.deepEqual(isRecord(operations[0]?.inputSchema) && operations[0].inputSchema.$defs, {
      Pet: { type: "object", properties: { tag: { $ref: "#/$defs/Tag" }, self: { $ref: "#/$defs/Pet" } } },
      Tag: { type: "string" },
    });
  });

  test("a schema with a broken reference allows anything, with a warning", () => {
    const { operations, warnings } = read({
      "/a": {
        get: {
          parameters: [{ name: "x", in: "query", schema: { $ref: "#/components/schemas/Gone" } }],
          responses: OK,
        },
      },
    });
    assert.deepEqual(propertiesOf(operations[0]?.inputSchema).x, {});
    assert.match(warnings[0]?.message ?? "", /1 references .* #\/components\/schemas\/Gone/);
  });
});
