import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CONTENT_OUTPUT, isRecord, type UnknownRecord } from "../../core/index.ts";
import { readDocument } from "./read-document.ts";

const OK = { 200: { description: "Fine.", content: { "application/json": { schema: { type: "string" } } } } };

function read(paths: object, rest: object = {}) {
  return readDocument({ root: { openapi: "3.0.3", info: { title: "T" }, paths, ...rest } });
}

function only(operation: object, rest: object = {}, path = "/things") {
  const { operations, warnings } = read({ [path]: { post: { responses: OK, ...operation } } }, rest);
  const [first] = operations;
  assert.ok(first, JSON.stringify(warnings));
  return first;
}

function propertiesOf(schema: unknown): UnknownRecord {
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

describe("inputs", () => {
  test("the input of an operation is flat: distinct parameters, the body, and only required keys required", () => {
    const { parameters, inputSchema } = only(
      {
        parameters: [
          { name: "id", in: "query", schema: { type: "integer" } },
          { name: "id", in: "header", required: true, schema: { type: "string" } },
          { name: "body", in: "cookie", schema: { type: "string" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
        ],
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      },
      {},
      "/things/{id}/{rest}",
    );
    assert.deepEqual(
      parameters.map(({ key, place, name }) => [key, place, name]),
      [
        ["id", "path", "id"],
        ["rest", "path", "rest"],
        ["query_id", "query", "id"],
        ["header_id", "header", "id"],
        ["cookie_body", "cookie", "body"],
      ],
    );
    assert.deepEqual(Object.keys(propertiesOf(inputSchema)), [
      "id",
      "rest",
      "query_id",
      "header_id",
      "cookie_body",
      "body",
    ]);
    assert.deepEqual(isRecord(inputSchema) && inputSchema.required, ["id", "rest", "header_id"]);
    assert.equal(isRecord(inputSchema) && inputSchema.additionalProperties, false);
  });

  test("a path parameter must not be empty", () => {
    const inPath = (name: string, type: string) => ({ name, in: "path", required: true, schema: { type } });
    const parameters = [
      inPath("s", "string"),
      inPath("a", "array"),
      inPath("o", "object"),
      inPath("n", "integer"),
    ];
    const { inputSchema } = only({ parameters }, {}, "/{s}/{a}/{o}/{n}");
    assert.deepEqual(propertiesOf(inputSchema), {
      s: { type: "string", minLength: 1 },
      a: { type: "array", minItems: 1 },
      o: { type: "object", minProperties: 1 },
      n: { type: "integer" },
    });
  });

  test("an operation's parameters win over those of its path", () => {
    const { operations } = read({
      "/a": {
        parameters: [{ name: "n", in: "query", required: true, schema: { type: "string" } }],
        get: {
          parameters: [{ name: "n", in: "query", description: "How many.", schema: { type: "integer" } }],
          responses: OK,
        },
      },
    });
    assert.deepEqual(propertiesOf(operations[0]?.inputSchema).n, {
      type: "integer",
      description: "How many.",
    });
    assert.equal(operations[0]?.parameters[0]?.required, false);
  });

  test("readOnly properties are not required in requests, nor writeOnly ones in responses", () => {
    const schema = {
      type: "object",
      required: ["id", "secret", "name"],
      properties: {
        id: { type: "string", readOnly: true },
        secret: { type: "string", writeOnly: true },
        name: { type: "string" },
      },
    };
    const { inputSchema, outputSchema } = only(
      {
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } } },
        responses: {
          200: {
            description: "",
            content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } },
          },
        },
      },
      { components: { schemas: { User: schema } } },
    );
    const required = (whole: unknown) =>
      isRecord(whole) && isRecord(whole.$defs) && isRecord(whole.$defs.User) && whole.$defs.User.required;
    assert.deepEqual(required(inputSchema), ["secret", "name"]);
    assert.deepEqual(required(outputSchema), ["id", "name"]);
  });

  test("readOnly properties are not required, also if declared in another part or by a reference", () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      Id: { type: "string", readOnly: true },
      Base: {
        properties: { id: ref("Id"), at: { readOnly: true }, name: {}, next: ref("Base") },
        required: ["id", "name"],
      },
      Loop: { allOf: [ref("Loop"), ref("Loop")], required: ["x"] },
    };
    const requiredIn = (schema: object) => {
      const requestBody = { content: { "application/json": { schema } } };
      const found: unknown[] = [];
      JSON.stringify(only({ requestBody }, { components: { schemas } }).inputSchema, (key, value) => {
        if (key === "required") found.push(value);
        return value;
      });
      return found;
    };
    assert.deepEqual(requiredIn({ allOf: [ref("Base"), { required: ["at", "name"] }] }), [
      ["name"],
      ["name"],
    ]);
    assert.deepEqual(requiredIn({ allOf: [ref("Base")], required: ["at", "id", "more"] }), [
      ["more"],
      ["name"],
    ]);
    assert.deepEqual(requiredIn(ref("Loop")), [["x"]]);
  });
});

describe("types and answers", () => {
  const answer = (...types: string[]) => ({
    responses: {
      200: {
        description: "",
        content: Object.fromEntries(types.map((type) => [type, { schema: { type: "object" } }])),
      },
    },
  });

  test("events make a subscription, GET and HEAD a query, the rest a mutation", () => {
    const { operations } = read({
      "/a": {
        get: answer("text/event-stream"),
        head: { responses: OK },
        put: answer("application/json"),
        post: answer("text/event-stream"),
      },
      "/b": { get: answer("application/json", "text/event-stream") },
    });
    assert.deepEqual(
      operations.map(({ method, type }) => `${method} ${type}`),
      ["GET subscription", "HEAD query", "POST subscription", "PUT mutation", "GET query"],
    );
  });

  test("the output is the schema of the success, a text, content, or nothing", () => {
    const outputOf = (operation: object) => only(operation).outputSchema;
    assert.deepEqual(outputOf(answer("application/json")), { type: "object" });
    assert.deepEqual(outputOf(answer("text/csv")), { type: "string" });
    assert.equal(outputOf(answer("image/png")), CONTENT_OUTPUT);
    assert.deepEqual(outputOf({ responses: { 204: { description: "" } } }), { type: "null" });
    assert.deepEqual(outputOf({ responses: { 200: answer("application/json").responses[200], 204: {} } }), {
      anyOf: [{ type: "object" }, { type: "null" }],
    });
  });

  test("a success that is documented without content may be anything, unless its status has no body", () => {
    const outputOf = (...statuses: number[]) =>
      only({ responses: Object.fromEntries(statuses.map((status) => [status, { description: "" }])) })
        .outputSchema;
    assert.equal(outputOf(200), true);
    assert.equal(outputOf(201), true);
    assert.deepEqual(outputOf(204), { type: "null" });
    assert.deepEqual(outputOf(205), { type: "null" });
    assert.equal(outputOf(200, 204), true);
  });

  test("the response to HEAD has no body, whatever the document says about GET", () => {
    for (const type of ["application/json", "text/event-stream"]) {
      const responses = { 200: { description: "", content: { [type]: { schema: { type: "object" } } } } };
      const [head] = read({ "/a": { head: { responses } } }).operations;
      assert.deepEqual([head?.type, head?.outputSchema], ["query", { type: "null" }]);
    }
  });

  test("documented failures become errors, each with its own words", () => {
    const problem = { $ref: "#/components/responses/Problem" };
    const { errors } = only(
      {
        responses: {
          ...OK,
          404: { description: "No such thing.\nReally." },
          409: problem,
          500: problem,
          "5XX": problem,
          default: problem,
        },
      },
      { components: { responses: { Problem: { description: "" } } } },
    );
    assert.deepEqual(errors, [
      { status: 404, description: "No such thing." },
      { status: 409, description: "The service answers 409." },
      { status: 500, description: "The service answers 500." },
    ]);
  });
});

test("a document of Swagger 2 reads like one of OpenAPI 3", () => {
  const root = {
    swagger: "2.0",
    host: "api.example.com",
    basePath: "/v1",
    schemes: ["http", "https"],
    consumes: ["application/json"],
    produces: ["application/json"],
    securityDefinitions: {
      key: { type: "apiKey", in: "query", name: "k" },
      app: { type: "oauth2", flow: "application", tokenUrl: "/token" },
    },
    security: [{ key: [] }, { app: ["read"] }],
    definitions: { Pet: { type: "object", properties: { name: { type: "string" } } } },
    paths: {
      "/pets": {
        post: {
          operationId: "add",
          parameters: [{ in: "body", name: "pet", required: true, schema: { $ref: "#/definitions/Pet" } }],
          responses: { 200: { schema: { $ref: "#/definitions/Pet" } } },
        },
        get: {
          operationId: "list",
          parameters: [
            {
              in: "query",
              name: "tags",
              type: "array",
              items: { type: "string" },
              collectionFormat: "pipes",
            },
          ],
          responses: { 200: { schema: { type: "array", items: { $ref: "#/definitions/Pet" } } } },
        },
      },
      "/photo": {
        post: {
          operationId: "photo",
          parameters: [
            { in: "formData", name: "file", type: "file", required: true },
            { in: "formData", name: "note", type: "string" },
          ],
          responses: { 204: { description: "" } },
        },
      },
    },
  };
  const { operations } = readDocument({ root });
  const [list, add, photo] = operations;
  assert.deepEqual(list?.servers, ["https://api.example.com/v1"]);
  assert.deepEqual([list?.parameters[0]?.style, list?.parameters[0]?.explode], ["pipeDelimited", false]);
  assert.deepEqual(add?.body, { kind: "json", mediaType: "application/json", required: true, fields: {} });
  assert.deepEqual(propertiesOf(add?.inputSchema).body, { $ref: "#/$defs/Pet" });
  assert.deepEqual(
    [photo?.body?.kind, photo?.body?.fields],
    ["multipart", { file: { binary: true }, note: {} }],
  );
  assert.deepEqual(propertiesOf(propertiesOf(photo?.inputSchema).body).file, {
    type: "string",
    contentEncoding: "base64",
  });
  assert.deepEqual(list?.security, [
    [{ kind: "apiKey", id: "key", place: "query", name: "k" }],
    [{ kind: "oauth2", scopes: ["read"], tokenUrl: "/token" }],
  ]);
});
