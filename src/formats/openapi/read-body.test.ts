import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDocument } from "./read-document.ts";

function bodyOf(operation: object, version: object = { openapi: "3.1.0" }) {
  const root = { ...version, paths: { "/a": { post: { responses: {}, ...operation } } } };
  return readDocument({ root }).operations[0]?.body;
}

describe("the fields of a form", () => {
  test("form fields of Swagger 2 have the separators of their collectionFormat", () => {
    const field = (name: string, collectionFormat?: string) => ({
      name,
      in: "formData",
      type: "array",
      items: { type: "string" },
      ...(collectionFormat !== undefined && { collectionFormat }),
    });
    const parameters = [
      field("plain"),
      field("pipes", "pipes"),
      field("tabs", "tsv"),
      field("many", "multi"),
      { name: "file", in: "formData", type: "file" },
    ];
    const body = bodyOf({ parameters }, { swagger: "2.0" });
    assert.equal(body?.kind, "multipart");
    assert.deepEqual(body?.fields, {
      plain: { style: "form", explode: false },
      pipes: { style: "pipeDelimited", explode: false },
      tabs: { style: "tabDelimited", explode: false },
      many: {},
      file: { binary: true },
    });
  });

  test("a form field has its first concrete media type, and is binary if that is", () => {
    const properties = {
      any: { description: "Whatever." },
      text: { type: "string" },
      list: { type: "array", items: { type: "string", format: "binary" } },
    };
    const encoding = {
      any: { contentType: "image/*, image/png" },
      text: { contentType: "*/*" },
      list: { contentType: "application/pdf" },
    };
    const content = { "multipart/form-data": { schema: { properties }, encoding } };
    assert.deepEqual(bodyOf({ requestBody: { content } })?.fields, {
      any: { contentType: "image/png", binary: true },
      list: { contentType: "application/pdf", binary: true },
    });
  });
});

test("a part that is used as a parameter and as a body is read as each", () => {
  const requestBody = {
    name: "shape",
    in: "query",
    schema: { type: "string" },
    content: { "application/json": { schema: { type: "object", properties: { a: {} } } } },
  };
  const alone = bodyOf({ requestBody });
  assert.ok(alone);
  assert.deepEqual(bodyOf({ requestBody, parameters: [requestBody] }), alone);
});
