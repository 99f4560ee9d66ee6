import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../gateway/index.ts";
import { readableLine } from "./log-line.ts";

function readable(message: string, fields: Readonly<Record<string, unknown>>): string {
  const lines: string[] = [];
  createLog("info", (line) => lines.push(line)).info(message, fields);
  return readableLine(lines.join(""));
}

test("a line of the log is read by people as words", () => {
  assert.match(
    readable("Lists tools", { facets: ["core"], by: "the default", tools: 4, operation: "a/b" }),
    /^\d\d:\d\d:\d\d info {2}Lists tools facets=\["core"\] by="the default" tools=4 operation=a\/b\n$/,
  );
});

test("what others wrote stays in its line and cannot steer the terminal", () => {
  const line = readable("Call", { operation: "a\u001b[31m\u009b\u202e\nb é" });
  assert.match(line, /^[\x20-\x7e]+\n$/);
  assert.match(line, /operation="a\\u001b\[31m\\u\{9b\}\\u\{202e\}\\nb \\u\{e9\}"\n$/);
});
