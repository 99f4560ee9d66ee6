import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../../observe/index.ts";
import { createTerminal } from "../../terminal.ts";
import { readableLine } from "./run.ts";

function readable(message: string, fields: Readonly<Record<string, unknown>>): string {
  const lines: string[] = [];
  createLog("info", (line) => lines.push(line)).info(message, fields);
  return readableLine(lines.join(""));
}

test("a log line at a terminal is plain text", () => {
  assert.match(
    readable("Lists tools", { facets: ["core"], by: "the default", tools: 4, operation: "a/b" }),
    /^\d\d:\d\d:\d\d info {2}Lists tools facets=\["core"\] by="the default" tools=4 operation=a\/b$/,
  );
});

test("a log line at a terminal escapes line breaks and control characters", (t) => {
  const shown = t.mock.method(console, "error", () => {});
  const screen = createTerminal({}, { side: { isTTY: true, write: () => {} } });
  screen.printError(readable("Call", { operation: "a\u001b[31m\u009b\u202e\nb é" }));
  const [line] = shown.mock.calls[0]?.arguments ?? [];
  assert.match(String(line), / info {2}Call operation="a\\u001b\[31m\\u009b\\u202e\\nb é"$/);
});
