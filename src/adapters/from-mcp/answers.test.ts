import assert from "node:assert/strict";
import { test } from "node:test";
import type { InputAnswer } from "../../core/index.ts";
import { closedTo, toResponse } from "./answers.ts";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", default: "John" },
    age: { type: "integer", default: 0 },
    agreed: { type: "boolean", default: false },
    city: { type: "string" },
    odd: true,
  },
};

test("what is left open in an accepted form has its default, and what was said stays", () => {
  for (const [content, sent] of [
    [undefined, { name: "John", age: 0, agreed: false }],
    [{}, { name: "John", age: 0, agreed: false }],
    [
      { name: "", agreed: true, city: "Rome" },
      { name: "", agreed: true, city: "Rome", age: 0 },
    ],
    ["no form", "no form"],
  ] as const) {
    const answer: InputAnswer = { action: "accept", ...(content !== undefined && { content }) };
    assert.deepEqual(toResponse(answer, SCHEMA), { action: "accept", content: sent });
  }
  assert.deepEqual(toResponse({ action: "accept", content: { a: 1 } }, {}), {
    action: "accept",
    content: { a: 1 },
  });
});

test("a default is not mistaken for said because every object has something of that name", () => {
  const schema = { properties: { constructor: { type: "string", default: "Brunel" } } };
  assert.deepEqual(toResponse({ action: "accept", content: {} }, schema), {
    action: "accept",
    content: { constructor: "Brunel" },
  });
});

test("who declines or cancels says nothing else", () => {
  for (const action of ["decline", "cancel"] as const)
    assert.deepEqual(toResponse({ action, content: { name: "Ada" } }, SCHEMA), { action });
});

test("a source whose questions are not passed on says so, and what to do", async () => {
  const request = { key: "k", message: "m", schema: {} };
  await assert.rejects(
    closedTo("up/x").requestInput(request),
    /^CallError: up\/x asks .*relayQuestions: false/,
  );
});
