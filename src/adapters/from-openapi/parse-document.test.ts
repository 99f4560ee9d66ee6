import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { stringify } from "yaml";
import { ImportError } from "../../core/index.ts";
import { parseDocument } from "./parse-document.ts";

const NEVER = new AbortController().signal;
const LARGE = { list: Array.from({ length: 2_000 }, (_, n) => ({ n, text: `number ${n}`, none: null })) };

describe("a document", () => {
  test("a document is JSON or YAML, short or long, or YAML that begins like JSON", async () => {
    const short = { a: [1, "two"], b: null };
    for (const value of [short, LARGE]) {
      for (const text of [JSON.stringify(value), stringify(value)])
        assert.deepEqual(await parseDocument(text, "x", NEVER), value);
    }
    assert.deepEqual(await parseDocument("{a: 1}", "x", NEVER), { a: 1 });
  });

  test("a long YAML document does not block other work", async () => {
    let isDone = false;
    const parsing = parseDocument(stringify(LARGE), "x", NEVER).finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await turnOfEventLoop();
    await parsing;
    assert.ok(turns > 50, `${turns} turns`);
  });

  test("a document that is neither JSON nor YAML is reported with the reason, in either thread", async () => {
    for (const filler of ["", `# ${"x".repeat(60_000)}\n`]) {
      await assert.rejects(
        parseDocument(`${filler}a: [1`, "api.yaml", NEVER),
        (error) =>
          error instanceof ImportError &&
          error.code === "SCHEMA_PARSE" &&
          /^api\.yaml is neither JSON nor YAML: Flow sequence/.test(error.message),
      );
    }
  });

  test("an aborted document is not parsed further", async () => {
    const stop = new AbortController();
    const parsing = parseDocument(stringify(LARGE), "x", stop.signal);
    stop.abort();
    await assert.rejects(parsing, { name: "AbortError" });
  });
});
