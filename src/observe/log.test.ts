import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";

test("the log writes one JSON object per line and drops entries below its level", () => {
  const lines: string[] = [];
  const log = createLog("warn", (line) => lines.push(line));
  log.debug("no");
  log.info("no");
  log.warn("careful", { operation: "a/b" });
  log.error("two\nlines");
  assert.equal(lines.length, 2);
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    [first.level, first.message, first.operation, typeof first.time],
    ["warn", "careful", "a/b", "string"],
  );
  assert.equal(second.message, "two\nlines");
  assert.ok(lines.every((line) => line.indexOf("\n") === line.length - 1));
});

test("control characters in the log cannot steer a terminal, and are shown escaped", () => {
  const lines: string[] = [];
  const written = "a\u001b[31m\u009b31m\u007f\u2028\u202etxt.exe\u2066\n{}";
  createLog("info", (line) => lines.push(line)).info("Call", { operation: written });
  assert.match(lines[0] ?? "", /^[\x20-\x7e]+\n$/);
  assert.equal(JSON.parse(lines[0] ?? "").operation, written);
});
