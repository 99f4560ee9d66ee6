import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../core/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import { checkArguments } from "./actions.ts";
import type { ActionName } from "./shapes.ts";

const validator = createSchemaValidator();
const check = (tool: ActionName, given: unknown) => checkArguments(tool, given, validator);

function refusal(tool: ActionName, given: unknown): CallError {
  try {
    check(tool, given);
  } catch (error) {
    if (error instanceof CallError) return error;
  }
  return assert.fail("it should have been refused");
}

test("familiar slips in a call are brought into form", () => {
  const wanted = { operation: "a/b", input: { x: 1 } };
  for (const given of [
    { operation: "a/b", input: { x: 1 } },
    { name: "a/b", args: { x: 1 } },
    { name: "a/b", arguments: { x: 1 } },
    { operation: "a/b", input: '{"x": 1}' },
  ]) {
    assert.deepEqual(check("call", given), wanted);
    assert.deepEqual(check("subscribe", given), wanted);
    assert.deepEqual(check("batch", { calls: [given] }), { calls: [wanted] });
  }
  assert.deepEqual(check("call", { operation: "a/b", input: null }), { operation: "a/b" });
});

test("an unknown argument is refused with the nearest valid one and the signature", () => {
  const error = refusal("search", { qeury: "x" });
  assert.equal(error.code, "INVALID_INPUT");
  assert.match(error.message, /^search was not called/);
  assert.match(error.message, /did you mean "query"\?/);
  assert.match(error.message, /Use search\(query\?: string \| string\[\]/);
});

test("arguments of a wrong kind are refused before anything is called", () => {
  assert.match(refusal("call", {}).message, /\/operation: expected string \(required\)/);
  assert.match(refusal("call", { operation: "a/b", input: "{broken" }).message, /\/input: expected object/);
  assert.match(refusal("call", { operation: "a/b", input: [1] }).message, /\/input: expected object/);
  assert.match(refusal("batch", { calls: {} }).message, /\/calls: expected array/);
  assert.match(refusal("batch", { calls: Array(51).fill({ operation: "a/b" }) }).message, /at most 50/);
  assert.match(refusal("call", "text").message, /\/operation/);
});

test("an input as text is bounded as a body is", () => {
  const keys = Object.fromEntries(Array.from({ length: 10_050 }, (_, n) => [`k${n}`, 0]));
  const { code, message } = refusal("call", { operation: "a/b", input: JSON.stringify(keys) });
  assert.equal(code, "INVALID_INPUT");
  assert.match(message, /more than 10000 different keys.*Nothing was called/);
});

test("a batch of too many calls is refused by their number alone", () => {
  const calls = Array.from({ length: 51 }, () => ({}));
  const { message } = refusal("batch", { calls });
  assert.equal(
    message,
    "batch was not called — /calls: expected at most 50 items, got 51. Send several batches.",
  );
});
