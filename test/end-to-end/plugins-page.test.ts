import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { childEnv } from "../support/child-env.ts";
import { startCommand } from "../support/command.ts";
import { ROOT } from "../support/source-files.ts";

const MAIN = join(ROOT, "src/cli/main.ts");

/** Everything that a command says. */
function run(cwd: string, line: string): Promise<string> {
  const [, ...args] = line.split(" ");
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { cwd, env: childEnv() }, (_error, out, complaint) =>
      resolve(`${out}${complaint}`),
    );
  });
}

test("docs/plugins.md can be typed from an empty folder to a tool that an agent calls", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-page-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const page = await readFile(join(ROOT, "docs/plugins.md"), "utf8");
  for (const [, name = "", text = ""] of page.matchAll(/Save this as `([^`]+)`:\n\n```ts\n(.*?)```/gs))
    await writeFile(join(folder, name), text);
  const [, typed = ""] = /```console\n(.*?)```/s.exec(page) ?? [];
  const commands = typed.split(/^\$ /m).slice(1);
  assert.equal(commands.length, 4);
  for (const command of commands) {
    const [line = "", ...expected] = command.trimEnd().split("\n");
    const said = await run(folder, line);
    assert.ok(said.includes(expected.join("\n")), `${line}: ${said}`);
  }
  const { url, stop } = await startCommand(process.execPath, [MAIN, "serve", "--port", "0"], folder);
  t.after(stop);
  const [, wanted = ""] = /`(\{"operation".*?\}\})`/.exec(page) ?? [];
  const response = await fetch(new URL("/mcp", url), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "call", arguments: JSON.parse(wanted) },
    }),
  });
  const text = await response.text();
  const sum = Number(/"output":(\d+)/.exec(text)?.[1]);
  assert.ok(sum >= 2 && sum <= 12, text);
});
