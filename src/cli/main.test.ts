import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { childEnv } from "../../test/support/child-env.ts";
import { startCommand } from "../../test/support/command.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const CORE = new URL("../core.ts", import.meta.url).href;
const MOST_MS = 60_000;

/** A plugin that keeps the process alive, like a connection pool, and whose output is larger than a pipe. */
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
  const env = childEnv();
  const child = spawn(process.execPath, [MAIN, ...line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const end = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  const said = { out: "", errors: "" };
  child.stdout.on("data", (chunk) => (said.out += chunk));
  child.stderr.on("data", (chunk) => (said.errors += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(end);
  return { code, ...said };
}

test("a command ends after its output, although plugins still run", async (t) => {
  const { code, out } = await run(folderOf(t, {}), "call", "busy/much");
  assert.equal(code, 0);
  assert.ok(out.length >= 900_000, `it said ${out.length} characters`);
});

test("a gateway ends when it is asked to, although plugins still run", { timeout: MOST_MS }, async (t) => {
  const { stop } = await startCommand(process.execPath, [MAIN, "serve"], folderOf(t, { port: 0 }));
  assert.equal(await stop(), 0);
});

test("a gateway that cannot start says why and exits", async (t) => {
  const taken = await startCommand(process.execPath, [MAIN, "serve"], folderOf(t, { port: 0 }));
  t.after(() => taken.stop());
  const { code, errors } = await run(folderOf(t, { port: Number(taken.url.port) }), "serve");
  assert.equal(code, 1);
  assert.match(errors, /is taken/);
});

/** Calls over one keep-alive connection until it closes; returns the count and the last response. */
async function callUntilClosed(url: URL): Promise<{ calls: number; last: string | undefined }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let calls = 1; ; calls++) {
    const outgoing = request(new URL("/search?query=much", url), { agent });
    outgoing.end();
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    incoming.resume();
    await once(incoming, "end");
    if (incoming.headers.connection === "close") return { calls, last: incoming.headers.connection };
  }
}

test("a gateway keeps running when its output is closed", { timeout: MOST_MS }, async (t) => {
  const { url, child, stop } = await startCommand(
    process.execPath,
    [MAIN, "serve"],
    folderOf(t, { port: 0 }),
  );
  child.stdout.destroy();
  child.stderr.destroy();
  for (let time = 0; time < 3; time++) {
    const body = JSON.stringify({ operation: "busy/much" });
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(new URL("/call", url), { method: "POST", headers, body });
    assert.equal(status, 200);
  }
  assert.equal(await stop(), 0);
});

test("SIGHUP makes a gateway read its config again, and does not end it", {
  skip: process.platform === "win32" && "no SIGHUP",
  timeout: MOST_MS,
}, async (t) => {
  const folder = folderOf(t, { port: 0 });
  const { url, child, said, stop } = await startCommand(process.execPath, [MAIN, "serve"], folder);
  child.kill("SIGHUP");
  while (!said().includes("Reloaded the config")) await once(child.stderr, "data");
  assert.equal((await fetch(new URL("/healthz", url))).status, 200);
  assert.equal(await stop(), 0);
});

test("a stopping gateway finishes calls on open connections and closes them, and no call is lost", {
  timeout: MOST_MS,
}, async (t) => {
  const { url, stop } = await startCommand(process.execPath, [MAIN, "serve"], folderOf(t, { port: 0 }));
  const clients = Array.from({ length: 20 }, () => callUntilClosed(url));
  await fetch(new URL("/healthz", url));
  const code = stop();
  for (const { last } of await Promise.all(clients)) assert.equal(last, "close");
  assert.equal(await code, 0);
});
