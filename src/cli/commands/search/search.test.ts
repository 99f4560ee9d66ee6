import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runProgram } from "../../run-program.ts";
import { createTerminal } from "../../terminal.ts";
import { search } from "./index.ts";

async function run(t: TestContext, ...line: string[]) {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-search-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const program = { name: "pinhole", summary: "", version: "1", commands: [search] };
  const code = await runProgram(program, ["search", ...line], {
    terminal: { ...createTerminal({}), print: write, printError: write },
    directory,
    env: {},
    stop: new AbortController().signal,
  });
  return { code, text: lines.join("\n") };
}

test("search takes all words of the command line as one query", async (t) => {
  const { code, text } = await run(t, "count", "the", "words", "of", "a", "text", "--limit", "2");
  assert.equal(code, 0);
  assert.match(text, /^text\/stats\(/);
  assert.match(text, /\n2 of \d+/);
});

test("search --explain shows which words counted, and in which field", async (t) => {
  const { text } = await run(t, "text stats", "--explain", "--limit", "1");
  assert.match(text, /^text\/stats {2}\d\.\d{3} \(words \d+\.\d\d, meaning \d\.\d\d\)\n/);
  assert.match(text, /\d\.\d\d {2}stat in name/);
});

test("search --json prints JSON", async (t) => {
  const found = JSON.parse((await run(t, "text stats", "--json")).text);
  assert.equal(found.operations[0].name, "text/stats");
  const explained = JSON.parse((await run(t, "text stats", "--json", "--explain")).text);
  assert.equal(explained[0].name, "text/stats");
});

test("search without a query shows the namespaces", async (t) => {
  assert.match(
    (await run(t)).text,
    /^services \(\d\) {2}.*\nshop \(4\) {2}.*\nsources \(1\) {2}.*\ntext \(3\) {2}/,
  );
});

test("search of a namespace without a query lists it page by page", async (t) => {
  const first = await run(t, "--namespace", "text", "--limit", "2");
  assert.match(first.text, /\n2 of 3; more with --cursor (text\/\w+)$/);
  const cursor = first.text.split(" ").at(-1) ?? "";
  const second = await run(t, "--namespace", "text", "--limit", "2", "--cursor", cursor);
  assert.match(second.text, /\n1 of 3$/);
});

test("search refuses an invalid limit", async (t) => {
  const { code, text } = await run(t, "x", "--limit", "many");
  assert.deepEqual([code, text], [2, "--limit: a number from 1 to 50."]);
});
