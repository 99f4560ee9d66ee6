import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isRecord, type UnknownRecord } from "../../core/index.ts";
import { DocumentRefused } from "./check-document.ts";
import { readDocument } from "./read-document.ts";

const OK = { 200: { description: "Fine.", content: { "application/json": { schema: { type: "string" } } } } };

function read(paths: object, rest: object = {}) {
  return readDocument({ root: { openapi: "3.0.3", info: { title: "T" }, paths, ...rest } });
}

function propertiesOf(schema: unknown): UnknownRecord {
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

/** Layers of schemas, each made of many references to the next: few bytes that mean very much. */
function layers(width: number, depth: number): Record<string, object> {
  const next = (level: number) => ({ $ref: `#/components/schemas/L${level + 1}` });
  return Object.fromEntries(
    Array.from({ length: depth }, (_, level) => [
      `L${level}`,
      level === depth - 1
        ? { type: "object", properties: { file: { type: "string", format: "binary" } } }
        : { allOf: Array(width).fill(next(level)) },
    ]),
  );
}

describe("a bad document", () => {
  test("an invalid document is refused with the reason", () => {
    const refused = (root: unknown, reason: RegExp) =>
      assert.throws(
        () => readDocument({ root }),
        (error) => error instanceof DocumentRefused && reason.test(error.message),
      );
    refused([], /its root is not an object/);
    refused({}, /neither `openapi` nor `swagger`/);
    refused({ swagger: "1.2" }, /version "1\.2"/);
    refused({ openapi: "3.0.0" }, /no `paths`/);

    let deep: object = {};
    for (let level = 0; level < 1_000; level++) deep = { properties: { a: deep } };
    refused({ openapi: "3.0.0", paths: {}, deep }, /nested deeper than 300/);

    const circle: Record<string, unknown> = { openapi: "3.0.0", paths: {} };
    circle.self = circle;
    refused(circle, /nested deeper/);
    refused({ openapi: circle }, /of version \{…\}/);

    let laughs: unknown = "ha";
    for (let level = 0; level < 9; level++) laughs = Array(10).fill(laughs);
    refused({ openapi: "3.0.0", paths: {}, laughs }, /more than 8000000 values/);
  });

  test("a document is refused if each operation needs almost all schemas, and each a different set", () => {
    const range = Array.from({ length: 1_500 }, (_, n) => n);
    const next = (n: number) => ({
      type: "object",
      properties: { next: { $ref: `#/components/schemas/S${n}` } },
    });
    const schemas = Object.fromEntries(range.map((n) => [`S${n}`, next((n + 1) % 2_000)]));
    const parameters = (n: number) => [
      { name: "p", in: "query", schema: { $ref: `#/components/schemas/S${n}` } },
    ];
    const paths = Object.fromEntries(
      range.map((n) => [`/${n}`, { get: { parameters: parameters(n), responses: OK } }]),
    );
    assert.throws(
      () => read(paths, { components: { schemas } }),
      (error) => error instanceof DocumentRefused && /refer to each other so widely/.test(error.message),
    );
  });

  test("names such as constructor and __proto__ in a document have no special meaning", () => {
    const names = ["constructor", "__proto__", "toString"];
    const content = JSON.parse(`{"constructor": {}, "__proto__": {"schema": {"type": "string"}}}`);
    const parameters = names.map((name) => ({
      name,
      in: "query",
      style: name,
      schema: JSON.parse(`{"__proto__": {"type": "x"}, "type": "string"}`),
    }));
    const { operations } = read({
      "/a": { post: { parameters, requestBody: { content }, responses: { 200: { content } } } },
    });
    const input = operations[0]?.inputSchema;
    assert.deepEqual(Object.keys(propertiesOf(input)), [...names, "body"]);
    assert.deepEqual(
      operations[0]?.parameters.map(({ style }) => style),
      ["form", "form", "form"],
    );
    assert.equal(operations[0]?.body?.kind, "binary");
  });

  test("parts within parts that require very many properties are read in a moment", () => {
    const required = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
    let schema: object = { type: "object", required, properties: { n1: { readOnly: true } } };
    for (let level = 0; level < 120; level++) schema = { allOf: [schema] };
    const start = performance.now();
    const content = { "application/json": { schema } };
    const { operations } = read({ "/a": { post: { requestBody: { content }, responses: OK } } });
    assert.ok(performance.now() - start < 10_000);
    assert.equal(JSON.stringify(operations[0]?.inputSchema).includes('"n1",'), false);
  });

  test("headers that a caller cannot set are not parameters", () => {
    const names = [
      "X-Fine",
      "Accept",
      "authorization",
      "Cookie",
      "Proxy-Authorization",
      "TE",
      "X Bad",
      "X\n",
    ];
    const parameters = names.map((name) => ({ name, in: "header", required: true, schema: {} }));
    const { operations, warnings } = read({ "/a": { get: { parameters, responses: OK } } });
    assert.deepEqual(Object.keys(propertiesOf(operations[0]?.inputSchema)), ["X-Fine"]);
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ["X Bad", "X\n"].map(
        (name) => `a header is left out, because ${JSON.stringify(name)} is not a valid name`,
      ),
    );
  });

  test("an invalid operation is left out, and the others are imported", () => {
    const { operations, warnings } = read({
      "/a": { get: "nonsense", post: { responses: OK } },
      "/b": { trace: {} },
      "/c": 7,
      "x-d": {},
    });
    assert.deepEqual(
      operations.map(({ name }) => name),
      ["post_a"],
    );
    assert.deepEqual(
      warnings.filter(({ leftOut }) => leftOut).map(({ where }) => where),
      ["GET /a", "TRACE /b", "/c"],
    );
  });

  test("a chain of ten thousand references, and references in circles, are read", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`S${n}`, { $ref: `#/components/schemas/S${n + 1}` }]),
    );
    const components = {
      schemas: { ...chain, A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } },
      parameters: { P: { $ref: "#/components/parameters/P" } },
    };
    const parameters = [
      { name: "a", in: "query", schema: { $ref: "#/components/schemas/A" } },
      { name: "s", in: "query", schema: { $ref: "#/components/schemas/S0" } },
      { $ref: "#/components/parameters/P" },
    ];
    const { operations, warnings } = read({ "/a": { get: { parameters, responses: OK } } }, { components });
    assert.equal(operations.length, 1);
    assert.equal(warnings.length, 2);
  });

  test("parts that lead to the same parts a thousand million times over are looked at once", () => {
    const content = { "multipart/form-data": { schema: { $ref: "#/components/schemas/L0" } } };
    const paths = { "/a": { post: { requestBody: { content }, responses: OK } } };
    const { operations, warnings } = read(paths, { components: { schemas: layers(30, 6) } });
    assert.deepEqual(warnings, []);
    assert.deepEqual(operations[0]?.body?.fields, { file: { binary: true } });
  });

  test("an operation whose body has too many parts is left out with the reason, and the others are imported", () => {
    const allOf = Array.from({ length: 2_000 }, () => ({ type: "object" }));
    const content = { "multipart/form-data": { schema: { allOf } } };
    const { operations, warnings } = read({
      "/a": { post: { requestBody: { content }, responses: OK } },
      "/b": { get: { responses: OK } },
    });
    assert.deepEqual(
      operations.map(({ name }) => name),
      ["get_b"],
    );
    assert.deepEqual(warnings, [
      { where: "POST /a", message: "the schema of its body has more than 1000 parts", leftOut: true },
    ]);
  });

  test("an operation whose schema repeats properties of one direction without end is left out with the reason", () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`n${index}`, { readOnly: true }]);
    const wide = { type: "object", required: ["n1"], properties: Object.fromEntries(names) };
    const parts = Array.from({ length: 100 }, () => ({
      required: ["n2"],
      $ref: "#/components/schemas/Wide",
    }));
    const schemas = { Wide: wide, Many: { properties: { a: { anyOf: parts } } } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Many" } } };
    const paths = {
      "/a": { post: { requestBody: { content }, responses: OK } },
      "/b": { post: { requestBody: { content }, responses: OK } },
    };
    const root = { openapi: "3.1.0", info: { title: "T" }, paths, components: { schemas } };
    const { operations, warnings } = readDocument({ root });
    assert.deepEqual(operations, []);
    const message = "the schema Many cannot be read: its parts repeat too many properties of one direction";
    assert.deepEqual(
      warnings,
      ["POST /a", "POST /b"].map((where) => ({ where, message, leftOut: true })),
    );
  });

  test("an address that its variables make longer than any address is left out", () => {
    const variables = { a: { default: "x".repeat(10_000) } };
    const servers = [
      { url: `https://${"{a}".repeat(10_000)}`, variables },
      { url: "https://api.example.com" },
    ];
    const { operations } = read({ "/a": { get: { responses: OK } } }, { servers });
    assert.deepEqual(operations[0]?.servers, ["https://api.example.com"]);
  });
});
