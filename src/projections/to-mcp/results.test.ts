import assert from "node:assert/strict";
import { test } from "node:test";
import { REQUEST_ID, toBatchResult, toCallResult, toServiceResult } from "./results.ts";

const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" };
const ERROR = { code: "NOT_FOUND", message: "There is none.", retryable: false };

test("data comes as structured content and as the same JSON in text", () => {
  const result = toCallResult({ requestId: "r", output: { a: 1 } });
  assert.deepEqual(result.structuredContent, { output: { a: 1 } });
  assert.deepEqual(result.content, [{ type: "text", text: '{"output":{"a":1}}' }]);
  assert.deepEqual(result._meta, { [REQUEST_ID]: "r" });
  assert.deepEqual(toServiceResult({ requestId: "r", output: { total: 0 } }).structuredContent, { total: 0 });
});

test("content comes as content and nothing else", () => {
  const result = toCallResult({ requestId: "r", output: { content: [IMAGE] } });
  assert.deepEqual(result.content, [IMAGE]);
  assert.ok(!("structuredContent" in result));
});

test("an error is a result that is marked as one", () => {
  for (const result of [
    toCallResult({ requestId: "r", error: ERROR }),
    toServiceResult({ requestId: "r", error: ERROR }),
    toBatchResult({ requestId: "r", error: ERROR }),
  ]) {
    assert.equal(result.isError, true);
    assert.deepEqual(result.structuredContent, { error: ERROR });
  }
});

test("images of a batch follow its JSON, which says where they belong", () => {
  const result = toBatchResult({
    requestId: "r",
    results: [
      { requestId: "1", output: { content: [{ type: "text", text: "hi" }, IMAGE] } },
      { requestId: "2", error: ERROR },
      { requestId: "3", output: 7 },
    ],
  });
  assert.deepEqual(result.structuredContent, {
    results: [
      {
        requestId: "1",
        output: {
          content: [
            { type: "text", text: "hi" },
            { type: "image", mimeType: "image/png", block: 1 },
          ],
        },
      },
      { requestId: "2", error: ERROR },
      { requestId: "3", output: 7 },
    ],
  });
  assert.deepEqual(result.content.slice(1), [IMAGE]);
  assert.equal(result.isError, undefined, "a batch with failures in it has itself not failed");
});
