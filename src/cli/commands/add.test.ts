import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runProgram } from "../run-program.ts";
import { createTerminal } from "../terminal.ts";
import { add } from "./add.ts";

const DOCUMENT = `
openapi: 3.1.0
info: { title: Pets }
servers: [{ url: https://pets.example.com }]
paths:
  /pets:
    get: { operationId: list, responses: { 200: { description: All. } } }
    post: { operationId: add, responses: { 201: { description: Added. } } }
  /events:
    get: { responses: { 200: { description: Events., content: { text/event-stream: {} } } } }
  /broken:
    get: 7
`;

async function run(t: TestContext, ...line: string[]) {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-add-"));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "pets.yaml"), DOCUMENT);
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const terminal = { ...createTerminal({}), print: write, printError: write };
  const program = { name: "pinhole", summary: "", version: "1", commands: [add] };
  const code = await runProgram(program, ["add", ...line], {
    terminal,
    directory,
    env: {},
    stop: new AbortController().signal,
  });
  return { code, text: lines.join("\n") };
}

test("a dry run shows counts, names, warnings and what it would cost", async (t) => {
  const { code, text } = await run(t, "pets", "pets.yaml", "--dry-run");
  assert.equal(code, 0);
  assert.match(text, /^Pets: 3 operations \(query 1, mutation 1, subscription 1\)\n/);
  assert.match(text, /about \d+ tokens/);
  assert.match(
    text,
    /\n {2}pets\/list {8}query\n {2}pets\/add {9}mutation\n {2}pets\/get_events {2}subscription\n/,
  );
  assert.match(text, /Warnings: 1\n {2}GET \/broken: the operation is no object$/);
});

test("without --dry-run it says that writing comes later, and what to write", async (t) => {
  const { code, text } = await run(t, "pets", "pets.yaml");
  assert.equal(code, 2);
  assert.match(text, /comes later.*\n\n {2}pets: \{ openapi: "pets\.yaml" \}$/s);
  assert.equal((await run(t, "pets")).code, 2);
});

test("a document that cannot be read is told by what is wrong with it", async (t) => {
  const { code, text } = await run(t, "pets", "gone.yaml", "--dry-run");
  assert.equal(code, 1);
  assert.match(text, /gone\.yaml: there is no such file\./);
});
