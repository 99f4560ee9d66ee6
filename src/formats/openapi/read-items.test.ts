import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "../../core/index.ts";
import { readDocument } from "./read-document.ts";

function only(operation: object, rest: object = {}) {
  const paths = { "/events": { get: operation } };
  const [first] = readDocument({
    root: { openapi: "3.2.0", info: { title: "T" }, paths, ...rest },
  }).operations;
  assert.ok(first);
  return first;
}

test("the items of a stream have the schema that the document gives their data", () => {
  const itemOf = (media: object) =>
    only({ responses: { 200: { description: "", content: { "text/event-stream": media } } } }).outputSchema;
  const item = { type: "object", properties: { n: { type: "integer" } } };
  assert.deepEqual(itemOf({ schema: item }), item);
  // A schema that is about the whole stream.
  assert.deepEqual(itemOf({ schema: { type: "array", items: item } }), item);
  assert.equal(itemOf({ schema: { type: "string" } }), true);
  assert.equal(itemOf({}), true);
  // OpenAPI 3.2 describes events, not their data.
  const json = { type: "string", contentMediaType: "application/json", contentSchema: item };
  const event = (data: object) => ({ properties: { event: { const: "add" }, data }, required: ["data"] });
  assert.deepEqual(itemOf({ itemSchema: event(json) }), item);
  assert.deepEqual(itemOf({ itemSchema: { oneOf: [event(json), event(item)] } }), item);
  const other = { type: "array" };
  assert.deepEqual(itemOf({ itemSchema: { anyOf: [event(json), event({ contentSchema: other })] } }), {
    anyOf: [item, other],
  });
  assert.equal(itemOf({ itemSchema: event({ type: "string" }) }), true);
  assert.deepEqual(itemOf({ itemSchema: item }), item);
});

test("unions of unions of events that never end are taken as they are", () => {
  const endless = { oneOf: Array(300).fill({ $ref: "#/components/schemas/Endless" }) };
  const content = { "text/event-stream": { itemSchema: { $ref: "#/components/schemas/Endless" } } };
  const responses = { 200: { description: "", content } };
  const { outputSchema } = only({ responses }, { components: { schemas: { Endless: endless } } });
  assert.equal(isRecord(outputSchema) && outputSchema.$ref, "#/$defs/Endless");
});
