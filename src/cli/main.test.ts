import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startCommand } from "../../test/support/command.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const CORE = new URL("../core.ts", import.meta.url).href;
const MOST_MS = 60_000;

/** A plugin that never comes to rest, as one with a pool of connections does, and whose answer is larger than a pipe. */
const BUSY = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  setInterval(() => {}, 1_000);
  export default definePlugin({ name: "busy", operations: [defineOperation({ name: "busy/much", type: "query",
    description: "Answers much.", handler: () => "x".repeat(900_000) })] });`;

function folderOf(t: TestContext, server: object): string {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-main-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "busy.ts"), BUSY);
  writeFileSync(
    join(folder, "pinhole.yaml"),
    JSON.stringify({ server, sources: { busy: { plugin: "./busy.ts" } } }),
  );
  return folder;
}

/** Runs the program to its end. */
async function run(cwd: string, ...line: string[]) {
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, ...line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const end = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  const said = { out: "", errors: "" };
  child.stdout.on("data", (chunk) => (said.out += chunk));
  child.stderr.on("data", (chunk) => (said.errors += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(end);
  return { code, ...said };
}

test("a command ends when it has said everything, whatever plugins still do", async (t) => {
  const { code, out } = await run(folderOf(t, {}), "call", "busy/much");
  assert.equal(code, 0);
  assert.ok(out.length >= 900_000, `it said ${out.length} characters`);
});

test("a gateway ends when it is asked to, whatever plugins still do", { timeout: MOST_MS }, async (t) => {
  const { stop } = await startCommand(process.execPath, [MAIN, "serve"], folderOf(t, { port: 0 }));
  assert.equal(await stop(), 0);
});

test("a gateway that cannot start says why and ends", async (t) => {
  const taken = await startCommand(process.execPath, [MAIN, "serve"], folderOf(t, { port: 0 }));
  t.after(() => taken.stop());
  const { code, errors } = await run(folderOf(t, { port: Number(taken.url.port) }), "serve");
  assert.equal(code, 1);
  assert.match(errors, /is taken/);
});
