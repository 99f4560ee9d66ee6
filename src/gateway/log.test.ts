import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";

test("a log writes one JSON object a line and leaves out what is below its level", () => {
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
