import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { newToken } from "../identity/index.ts";
import { createLog } from "../observe/index.ts";
import { type Gateway, startGateway } from "./gateway.ts";

const CORE = new URL("../core.ts", import.meta.url).href;

/** A plugin file whose one operation answers with a text, after a gate on the global object if there is one. */
function pluginText(answer: string): string {
  return `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
    export default definePlugin({ name: "x", operations: [defineOperation({
      name: "local/answer", type: "query", description: "Answers.",
      handler: async () => { await globalThis.pinholeTestGate; return ${JSON.stringify(answer)}; },
    })] });`;
}

async function folderWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function start(t: TestContext, directory: string, watch = false) {
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const gateway = await startGateway({ directory, log, watch, flags: { port: "0" } });
  t.after(() => gateway.close());
  return { gateway, logged: () => lines.join("") };
}

/** A call over the wire as a 2026-07-28 client makes it. */
async function call(gateway: Gateway, operation: string, headers: Record<string, string> = {}) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "call", arguments: { operation }, _meta: meta };
  const response = await fetch(`${gateway.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "call",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const body = (await response.json()) as { result?: { structuredContent: Record<string, unknown> } };
  return { status: response.status, headers: response.headers, data: body.result?.structuredContent, body };
}

const CONFIG = 'sources:\n  local: { plugin: ./plugin.ts, description: "Local things." }\n';

test("without a config file the gateway serves the demo, and /healthz answers", async (t) => {
  const { gateway } = await start(t, await folderWith(t, {}));
  assert.match(JSON.stringify((await call(gateway, "text/stats")).data), /"INVALID_INPUT"/);
  const health = await fetch(`${gateway.url}/healthz`);
  assert.deepEqual([health.status, await health.json()], [200, { status: "ok" }]);
  const nothing = await fetch(`${gateway.url}/elsewhere`);
  assert.equal(nothing.status, 404);
  assert.ok(!(await nothing.text()).includes("elsewhere"));
});

test("a plugin named in the config is served under its source", async (t) => {
  const folder = await folderWith(t, { "pinhole.yaml": CONFIG, "plugin.ts": pluginText("hello") });
  const { gateway } = await start(t, folder);
  assert.deepEqual((await call(gateway, "local/answer")).data, { output: "hello" });
  assert.equal(gateway.registry.snapshot().sources.get("local")?.source.description, "Local things.");
  assert.equal(gateway.registry.snapshot().find("text/stats"), undefined, "no demo beside a config");
});

test("a reload takes effect at once, and calls in flight finish on what they started with", async (t) => {
  const folder = await folderWith(t, { "pinhole.yaml": CONFIG, "plugin.ts": pluginText("old") });
  const { gateway } = await start(t, folder);
  let open = () => {};
  const gated = globalThis as { pinholeTestGate?: Promise<void> };
  gated.pinholeTestGate = new Promise((resolve) => {
    open = resolve;
  });
  const running = call(gateway, "local/answer");
  while (!(await hasStarted(gateway))) await new Promise((resolve) => setImmediate(resolve));
  await writeFile(join(folder, "plugin.ts"), pluginText("new"));
  await gateway.reload();
  delete gated.pinholeTestGate;
  assert.deepEqual((await call(gateway, "local/answer")).data, { output: "new" });
  open();
  assert.deepEqual((await running).data, { output: "old" });
});

/** One turn of the loop of the server is enough for a request that is on its way. */
async function hasStarted(gateway: Gateway): Promise<boolean> {
  return (await fetch(`${gateway.url}/healthz`)).ok;
}

test("a broken config keeps the old one running and says why", async (t) => {
  const folder = await folderWith(t, { "pinhole.yaml": CONFIG, "plugin.ts": pluginText("hello") });
  const { gateway } = await start(t, folder);
  for (const [file, text, reason] of [
    ["pinhole.yaml", `${CONFIG}dney: [x]\n`, /pinhole\.yaml:3.*dney.*deny/s],
    ["pinhole.yaml", `${CONFIG}lock: enforce\nserver: { port: "x" }\n`, /server\.port/],
  ] as const) {
    await writeFile(join(folder, "pinhole.yaml"), CONFIG);
    await writeFile(join(folder, "plugin.ts"), pluginText("changed"));
    await writeFile(join(folder, file), text);
    await assert.rejects(gateway.reload(), reason);
    assert.deepEqual((await call(gateway, "local/answer")).data, { output: "hello" }, String(reason));
  }
});

test("a change of the config file is followed", async (t) => {
  const folder = await folderWith(t, { "pinhole.yaml": CONFIG, "plugin.ts": pluginText("hello") });
  const { gateway, logged } = await start(t, folder, true);
  const changed = new Promise<void>((resolve) => {
    const stop = gateway.registry.onChange(() => {
      stop();
      resolve();
    });
  });
  await writeFile(join(folder, "pinhole.yaml"), `${CONFIG}deny: ["local/*"]\nserver: { maxNesting: 9 }\n`);
  await changed;
  const { data } = await call(gateway, "local/answer");
  assert.match(JSON.stringify(data), /"NOT_FOUND"/);
  while (!/take effect at the next start/.test(logged())) await new Promise(setImmediate);
});

test("tokens decide who calls: a wrong or missing one is 401 once there is an identity, unless anonymous callers are allowed", async (t) => {
  const { token, tokenHash } = newToken();
  const config = `${CONFIG}identities:\n  - { id: ci, tokenHash: "${tokenHash}", scopes: [local] }\n`;
  const folder = await folderWith(t, { "pinhole.yaml": config, "plugin.ts": pluginText("hello") });
  const { gateway, logged } = await start(t, folder);
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

  assert.equal((await call(gateway, "local/answer", bearer(token))).status, 200);
  assert.equal((await call(gateway, "local/answer")).status, 401);
  for (const headers of [
    bearer("wrong"),
    bearer(`${token}x`),
    { authorization: "Basic abc" },
    { authorization: "x" },
  ]) {
    const refused = await call(gateway, "local/answer", headers);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer /);
  }
  assert.match(
    logged(),
    /"principal":"ci","identity":"ci","operation":"local\/answer","namespace":"local","decision":"allowed","outcome":"ok"/,
  );
  assert.ok(!logged().includes(token) && !logged().includes("wrong"), "no token is logged");

  await writeFile(join(folder, "pinhole.yaml"), `${config}access: { anonymous: true }\n`);
  await gateway.reload();
  assert.match(
    JSON.stringify(await call(gateway, "local/answer")),
    /needs an identity/,
    "the source is not public",
  );
  assert.equal((await call(gateway, "local/answer", bearer(token))).status, 200);
});

test("closing lets running calls finish and takes no new ones", async (t) => {
  const folder = await folderWith(t, { "pinhole.yaml": CONFIG, "plugin.ts": pluginText("finished") });
  const { gateway } = await start(t, folder);
  const gated = globalThis as { pinholeTestGate?: Promise<void> };
  let open = () => {};
  gated.pinholeTestGate = new Promise((resolve) => {
    open = resolve;
  });
  const running = call(gateway, "local/answer");
  while (!(await hasStarted(gateway))) await new Promise((resolve) => setImmediate(resolve));
  const closed = gateway.close();
  await assert.rejects(fetch(`${gateway.url}/healthz`));
  open();
  delete gated.pinholeTestGate;
  assert.deepEqual((await running).data, { output: "finished" });
  await closed;
});

test("a port that is in use is reported in a sentence", async (t) => {
  const { gateway } = await start(t, await folderWith(t, {}));
  const port = new URL(gateway.url).port;
  const again = startGateway({
    directory: await folderWith(t, {}),
    flags: { port },
    log: createLog("error", () => {}),
  });
  await assert.rejects(again, /Port \d+ on 127\.0\.0\.1 is taken\. .*--port/);
});
