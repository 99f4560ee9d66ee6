import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../../adapters/index.ts";
import { createTokenResolver, hashToken } from "../../../identity/index.ts";
import { runProgram } from "../../run-program.ts";
import { createTerminal } from "../../terminal.ts";
import { token } from "./index.ts";

async function run(...line: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const terminal = { ...createTerminal({}), print: write, printError: write };
  const program = { name: "pinhole", summary: "", version: "1", commands: [token] };
  const code = await runProgram(program, ["token", ...line], {
    terminal,
    directory: ".",
    env: {},
    stop: new AbortController().signal,
  });
  return { code, text: lines.join("\n") };
}

test("the configuration that token prints accepts the token", async (t) => {
  const { code, text } = await run("ada: & co", "--scopes", "github, pets,,");
  assert.equal(code, 0);
  const directory = mkdtempSync(join(tmpdir(), "pinhole-token-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const [lines = ""] = /^ {2}identities:\n(?: {4}.*\n)+/m.exec(text) ?? [];
  writeFileSync(join(directory, "pinhole.yaml"), lines);
  const { config } = await loadConfig({ directory });

  const [secret = ""] = /ph_[\w-]{43}/.exec(text) ?? [];
  const identity = await createTokenResolver(config.identities)(secret);
  assert.deepEqual(identity, { id: "ada: & co", authenticated: true, scopes: ["github", "pets"] });
  assert.ok(text.includes(`Authorization: Bearer ${secret}`));
});

test("token --json prints JSON", async () => {
  const { text } = await run("--json");
  const answer = JSON.parse(text);
  assert.deepEqual(Object.keys(answer), ["id", "token", "tokenHash", "scopes"]);
  assert.deepEqual([answer.id, answer.scopes], ["agent", []]);
  assert.equal(answer.tokenHash, hashToken(answer.token));
});

test("token refuses a reserved id before it prints anything", async () => {
  const { code, text } = await run("anonymous");
  assert.equal(code, 2);
  assert.equal(text, 'The id "anonymous" is taken by the gateway itself. Choose another one.');
});
