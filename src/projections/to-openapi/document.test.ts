import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { CONTRACT, HTTP_CONTRACT_VERSION, HTTP_STATUS } from "../../contract/index.ts";
import type { UnknownRecord } from "../../core/index.ts";
import { createSchemaValidator } from "../../formats/index.ts";
import { toDocument } from "./document.ts";
import { ROUTES } from "./http-projection.ts";

interface Media {
  readonly schema: UnknownRecord;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Document extends UnknownRecord {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: UnknownRecord & {
    readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>;
  };
}

const made = toDocument({ anonymous: true }) as Document;
const operations = Object.values(made.paths).flatMap((path) => Object.values(path));

test("the document is valid OpenAPI 3.1", async () => {
  for (const anonymous of [true, false]) {
    const validator = new Validator();
    const document = structuredClone(toDocument({ anonymous }));
    const { valid, errors } = await validator.validate(document);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, "3.1");
  }
});

test("the document has every address with its methods, and an id for each", () => {
  for (const [path, { methods }] of Object.entries(ROUTES)) {
    assert.deepEqual(
      Object.keys(made.paths[path] ?? {}),
      methods.map((method) => method.toLowerCase()),
      path,
    );
  }
  assert.deepEqual(Object.keys(made.paths), [...Object.keys(ROUTES), "/healthz"]);
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
});

test("the document says whether a token is needed", () => {
  assert.deepEqual(made.security, [{}, { bearer: [] }]);
  assert.deepEqual(toDocument({ anonymous: false }).security, [{ bearer: [] }]);
});

test("the query of a search takes what the contract takes", () => {
  const names = made.paths["/search"]?.get?.parameters?.map(({ name }) => name);
  assert.deepEqual(names, Object.keys(CONTRACT.search.input.properties));
});

test("the document has every status of the table of errors, with its codes", () => {
  const { responses } = made.paths["/call"]?.post ?? assert.fail();
  for (const [code, httpStatus] of Object.entries(HTTP_STATUS)) {
    assert.ok(String(httpStatus) in responses, code);
    assert.match(JSON.stringify(made.components.responses[`Error${httpStatus}`]), new RegExp(`\\b${code}:`));
  }
  assert.ok("401" in responses && "4XX" in responses && "5XX" in responses);
});

test("every example of the document fits its schema", () => {
  const validator = createSchemaValidator();
  const media = [
    ...operations.flatMap(({ requestBody, responses }) => [
      requestBody?.content["application/json"],
      responses["200"]?.content?.["application/json"],
    ]),
    ...Object.values(made.components.responses).map(({ content }) => content["application/json"]),
  ].filter((each) => each?.example !== undefined);
  assert.ok(media.length > 15);
  for (const each of media) {
    const schema = { ...each?.schema, components: made.components };
    assert.deepEqual(validator.check(schema, each?.example), [], JSON.stringify(each?.example));
  }
});

test("docs/http.md has every address with its methods, and every status that comes before a call", () => {
  const text = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8");
  for (const [path, methods] of Object.entries(made.paths)) {
    for (const method of Object.keys(methods))
      assert.ok(text.includes(`\`${method.toUpperCase()} ${path}\``), path);
  }
  for (const status of [400, 404, 405, 413, 415, 422])
    assert.match(text, new RegExp(`^\\| ${status} \\|`, "m"));
});

test("the document has the version of the HTTP contract, which is not that of the package", () => {
  assert.equal((made as { info?: { version?: string } }).info?.version, HTTP_CONTRACT_VERSION);
  assert.match(HTTP_CONTRACT_VERSION, /^1\.\d+\.\d+$/);
});
