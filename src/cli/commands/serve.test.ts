import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runProgram } from "../run-program.ts";
import { createTerminal } from "../terminal.ts";
import { serve } from "./serve.ts";

async function run(t: TestContext, ...line: string[]) {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-serve-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const lines: string[] = [];
  const stop = new AbortController();
  const terminal = {
    ...createTerminal({}),
    print: (text: string) => {
      lines.push(text);
      stop.abort();
    },
    printError: (text: string) => void lines.push(text),
  };
  const program = { name: "pinhole", summary: "", version: "1", commands: [serve] };
  const surroundings = { terminal, directory, env: {}, stop: stop.signal };
  const code = await runProgram(program, ["serve", ...line], surroundings);
  return { code, text: lines.join("\n") };
}

test("a flag that does not fit the configuration is refused by name", async (t) => {
  const { code, text } = await run(t, "--port", "http");
  assert.deepEqual([code, text], [2, '--port: expected integer, found "http"']);
});

test("an address that others can reach is refused without identities", async (t) => {
  const { code, text } = await run(t, "--host", "0.0.0.0");
  assert.equal(code, 2);
  assert.match(text, /^--host: others may reach "0\.0\.0\.0".* `pinhole token` /);
});

test("a configuration that is not there is refused", async (t) => {
  const { code, text } = await run(t, "--config", "team.yaml");
  assert.equal(code, 1);
  assert.match(text, /^team\.yaml {2}There is no such file\./);
});

test("a running gateway says where it listens, what it saves and how to connect, and stops when asked to", async (t) => {
  const { code, text } = await run(t, "--port", "0");
  assert.equal(code, 0);
  assert.match(text, /^Pinhole \S+ listens on http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
  assert.match(text, /8 operations in 3 namespaces behind 4 tools/);
  assert.match(
    text,
    /cost a model about [4-7]\d\d tokens; every operation as a tool of its own,\n {2}about \d/,
  );
  assert.match(text, /claude mcp add --transport http pinhole http:\/\/127/);
  assert.match(text, /code --add-mcp .*"type":"http"/);
  assert.match(text, /mcp\.json: \{"mcpServers":\{"pinhole":\{"url":"http/);
  assert.match(text, /There is no pinhole\.yaml here/);
  assert.match(text, /Stopping: running calls may finish\.$/);
});
