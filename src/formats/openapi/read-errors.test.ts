import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDocument } from "./read-document.ts";

const PROBLEM = { type: "object", properties: { cause: { $ref: "#/components/schemas/Cause" } } };
const schemas = { Problem: PROBLEM, Cause: { type: "string" }, Unused: { type: "null" } };

function jsonOf(schema: object) {
  return { description: "Failed.", content: { "text/html": {}, "application/problem+json": { schema } } };
}

function errorsOf(...operations: readonly object[]) {
  const paths = Object.fromEntries(
    operations.map((responses, index) => [`/${index}`, { get: { responses } }]),
  );
  const read = readDocument({ root: { openapi: "3.1.0", paths, components: { schemas } } });
  return read.operations.map(({ errors }) => errors);
}

describe("the bodies of failures", () => {
  const ref = { $ref: "#/components/schemas/Problem" };
  const whole = {
    $ref: "#/$defs/Problem",
    $defs: {
      Problem: { type: "object", properties: { cause: { $ref: "#/$defs/Cause" } } },
      Cause: { type: "string" },
    },
  };

  test("an error schema has exactly the definitions that it needs", () => {
    const [errors] = errorsOf({ 200: {}, 404: jsonOf(ref), 409: { description: "Taken." } });
    assert.deepEqual(errors, [
      { status: 404, description: "Failed.", body: whole },
      { status: 409, description: "Taken." },
    ]);
  });

  test("equal error schemas are shared in memory by all operations, named or inline", () => {
    const inline = () => jsonOf({ type: "object", properties: { a: { type: "string" } } });
    const [one, other] = errorsOf(
      { 200: {}, 404: jsonOf(ref), 422: inline() },
      { 200: {}, 404: jsonOf({ ...ref }), 422: inline() },
    );
    assert.ok(one?.[0]?.body && one[1]?.body);
    assert.equal(one[0], other?.[0]);
    assert.equal(one[1], other?.[1]);
  });

  test("a default response is the error of all other statuses, unless it is the success", () => {
    assert.deepEqual(errorsOf({ 200: {}, default: jsonOf(ref) }), [
      [{ status: "other", description: "Failed.", body: whole }],
    ]);
    assert.deepEqual(errorsOf({ default: jsonOf(ref) }, { 200: {}, default: {} }), [[], []]);
  });

  test("a response of a range is the error of its statuses without their own response", () => {
    assert.deepEqual(errorsOf({ 200: {}, 404: { description: "Gone." }, "4XX": jsonOf(ref), "5xx": {} }), [
      [
        { status: 404, description: "Gone." },
        { status: "4XX", description: "Failed.", body: whole },
      ],
    ]);
  });

  test("an error schema that refers to half of the document is dropped", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`field${n}`, { type: "string" }]),
    );
    assert.deepEqual(errorsOf({ 200: {}, 404: jsonOf({ type: "object", properties }) }), [
      [{ status: 404, description: "Failed." }],
    ]);
  });

  test("error schemas are found in a Swagger 2 document", () => {
    const root = {
      swagger: "2.0",
      definitions: { Cause: { type: "string" } },
      paths: { "/a": { get: { responses: { 200: {}, 500: { schema: { $ref: "#/definitions/Cause" } } } } } },
    };
    assert.deepEqual(readDocument({ root }).operations[0]?.errors, [
      {
        status: 500,
        description: "The service answers 500.",
        body: { $ref: "#/$defs/Cause", $defs: { Cause: { type: "string" } } },
      },
    ]);
  });
});
