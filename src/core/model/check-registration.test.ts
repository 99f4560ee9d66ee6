import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchemaValidator } from "../../formats/index.ts";
import { Registry } from "../registry/index.ts";
import { defineOperation } from "./define-operation.ts";
import { completeSpec, type OperationSpec } from "./operation.ts";
import type { Registration } from "./registration.ts";

/** The words with which the registry refuses a good operation that was changed in one place. */
function refusalOf(
  change: { readonly [Key in keyof OperationSpec]?: unknown },
  more: Partial<Registration> = {},
): string {
  const spec = completeSpec({ name: "demo/x", type: "query", description: "Does something." });
  const registration = {
    spec: { ...spec, ...change },
    handler: { kind: "once", run: () => 1 },
    provenance: "local",
    ...more,
  } as Registration;
  try {
    new Registry(createSchemaValidator()).apply({
      replace: [{ source: { name: "demo" }, registrations: [registration] }],
    });
    return "taken";
  } catch (error) {
    return error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error);
  }
}

test("a local operation is refused with the place of its mistake", () => {
  assert.equal(refusalOf({}), "taken");
  for (const [change, words] of [
    [
      { description: undefined },
      /^RegistrationError: Operation "demo\/x" has no description; say in a sentence/,
    ],
    [{ description: " " }, /has an empty description/],
    [{ type: "qurey" }, /has the type "qurey"; it must be query, mutation or subscription/],
    [{ visibility: "hidden" }, /has the visibility "hidden"/],
    [{ tags: "one" }, /has tags that are not a list of texts/],
    [{ tags: ["one", 2] }, /has tags that are not a list of texts/],
    [{ aliases: "demo/y" }, /has aliases that are not a list of texts/],
    [{ title: 7 }, /has a title that is not a text/],
    [{ errors: { NO: {} } }, /has errors that are not a list/],
    [{ errors: [{ description: "No." }] }, /declares an error without a code/],
    [{ errors: [{ code: "NO" }] }, /declares the error NO without a description/],
    [
      { errors: [{ code: "NO", description: "No.", httpStatus: 200 }] },
      /the httpStatus 200; it must be between/,
    ],
    [
      { errors: [{ code: "NO", description: "No.", schema: { type: "objekt" } }] },
      /declares the error NO with a schema that is not a JSON Schema: \/type must be/,
    ],
    [
      { access: { scope: ["admin"] } },
      /has access\.scope; access knows authenticated, scopes, anyScope, resource/,
    ],
    [{ access: { scopes: "admin" } }, /has access\.scopes that is not a list of texts/],
    [{ inputSchema: "object" }, /has no JSON Schema as inputSchema/],
    [
      { inputSchema: { type: "object", properties: { a: { type: "strng" } } } },
      /has an inputSchema that is not a JSON Schema: \/properties\/a\/type must be one of null, boolean, .*, not "strng"/,
    ],
    [{ outputSchema: { type: "objekt" } }, /has an outputSchema that is not a JSON Schema: \/type must be/],
  ] as const)
    assert.match(refusalOf(change), words, JSON.stringify(change));
});

test("the provenance of an operation is one of the known ones", () => {
  const words = /has the provenance "session"; it must be one of local, from-mcp, from-openapi, from-call/;
  assert.match(refusalOf({}, { provenance: "session" as never }), words);
});

test("an imported operation may have the schemas that its source wrote, and no description", () => {
  const odd = { inputSchema: { type: "file", required: true }, description: "" };
  assert.equal(refusalOf(odd, { provenance: "from-openapi" }), "taken");
  assert.match(refusalOf({ description: undefined }, { provenance: "from-mcp" }), /has no description/);
});

test("a handler that cannot serve its type is refused where it is defined", () => {
  const define = (type: string, handler: unknown) => () =>
    defineOperation({ name: "demo/x", type, description: "Does.", handler } as never);
  assert.throws(
    define("subscription", async () => []),
    /must be an async generator: async \*handler/,
  );
  assert.throws(
    define("subscription", function* () {}),
    /must be an async generator/,
  );
  assert.throws(
    define("query", async function* () {}),
    /handler answers once; make it a subscription/,
  );
  assert.throws(define("query", undefined), /"demo\/x" has no handler/);
  assert.throws(() => defineOperation({ type: "query" } as never), /has no name\. Give it one such as/);
  define("subscription", async function* () {})();
  define("subscription", () => new ReadableStream())();
});
