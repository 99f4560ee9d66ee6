import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { CallError } from "../../core/index.ts";
import { outputOf } from "./call-tool.ts";

const text = (words: string) => ({ type: "text" as const, text: words });

const CALL = { what: "up/x", redact: <Value>(value: Value) => value };

test("structured content of any kind is the output of a tool", () => {
  for (const structuredContent of [{ a: 1 }, [1], "text", 0, false, null]) {
    const result = { content: [text("1")], structuredContent } as unknown as CallToolResult;
    assert.deepEqual(outputOf(result, CALL), structuredContent);
  }
});

test("content blocks are the output of a tool without structured content, and text is never parsed as JSON", () => {
  assert.deepEqual(outputOf({ content: [text('{"a":1}')] }, CALL), {
    content: [text('{"a":1}')],
  });
  assert.deepEqual(outputOf({ content: [] }, CALL), { content: [] });
});

function errorOf(result: CallToolResult): CallError {
  try {
    outputOf(result, CALL);
  } catch (error) {
    if (error instanceof CallError) return error;
  }
  throw new Error("It did not fail.");
}

test("a tool error has the tool's words in its message and the whole result in its details", () => {
  const content = [text("No"), { type: "image" as const, data: "", mimeType: "image/png" }, text("way.")];
  const error = errorOf({ isError: true, content, structuredContent: { why: 5 } });
  assert.deepEqual(
    [error.code, error.message, error.retryable],
    ["MCP_TOOL_ERROR", "up/x failed: No  way.", false],
  );
  assert.deepEqual(error.details, { content, structuredContent: { why: 5 } });
  assert.equal(errorOf({ isError: true, content: [] }).message, "up/x failed.");
});

test("a long tool error is cut in its message and in its details", () => {
  const { message, details } = errorOf({ isError: true, content: [text("x".repeat(1_000_000))] });
  assert.ok(message.length < 600);
  assert.deepEqual(details, { content: [text(`${"x".repeat(9_999)}…`)], truncated: true });
});
