import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startConfig } from "../support/config-gateway.ts";
import { deferred } from "../support/deferred.ts";
import { postJson } from "../support/http-wire.ts";
import { postModern } from "../support/mcp-wire.ts";
import { ScriptedUpstream, sourceOf, until } from "../support/scripted-upstream/index.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** A plugin whose one operation waits until it is its turn. */
const WAITING = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  export default definePlugin({ name: "wait", operations: [defineOperation({ name: "wait/turn", type: "query",
    description: "Waits.", handler: async () => { await globalThis.pinholeTestTurn; return {}; } })] });`;

test("calls that run when the config is read again still count against the limits of their caller", async (t) => {
  const gate = globalThis as { pinholeTestTurn?: Promise<void> };
  const turn = deferred<void>();
  gate.pinholeTestTurn = turn.promise;
  t.after(() => {
    turn.resolve();
    delete gate.pinholeTestTurn;
  });
  const config = { limits: { concurrent: 1 }, sources: { wait: { plugin: "./wait.ts" } } };
  const { directory, reload, url } = await startConfig(t);
  await writeFile(join(directory, "wait.ts"), WAITING);
  await reload(config);
  const running = postJson(`${url}/call`, { operation: "wait/turn" });
  const status = async () => (await postJson(`${url}/call`, { operation: "notes/list" })).status;
  while ((await status()) !== 429) await new Promise(setImmediate);

  await reload({ ...config, deny: ["notes/erase"] });
  assert.equal(await status(), 429);
  turn.resolve();
  assert.equal((await running).status, 200);
  assert.equal(await status(), 200);
});

/** A plugin that counts in its own memory. */
const COUNTING = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  if (globalThis.pinholeTestUnready) throw new Error("not ready");
  let count = 0;
  export default definePlugin({ name: "count", operations: [defineOperation({ name: "count/up", type: "query",
    description: "Counts.", handler: () => ++count })] });`;

test("a plugin keeps what it has in memory until its own file changes", async (t) => {
  const { directory, reload, url } = await startConfig(t);
  const file = join(directory, "count.ts");
  const config = { sources: { count: { plugin: "./count.ts" } } };
  const count = async () => {
    const answer = await postJson(`${url}/call`, { operation: "count/up" });
    return ((await answer.json()) as { output?: unknown }).output;
  };
  const unready = globalThis as { pinholeTestUnready?: boolean };
  t.after(() => delete unready.pinholeTestUnready);
  await writeFile(file, COUNTING);
  unready.pinholeTestUnready = true;
  await reload(config);
  assert.equal(await count(), undefined);
  unready.pinholeTestUnready = false;
  await reload(config);
  assert.equal(await count(), 1, "one that failed is tried again");
  await reload({ ...config, deny: ["notes/erase"] });
  await reload({});
  await reload(config);
  assert.equal(await count(), 2);
  await writeFile(file, COUNTING.replace("count = 0", "count = 7"));
  await reload(config);
  assert.equal(await count(), 8);
});

/** A collector of traces, and all that it was sent. */
async function collectTraces(t: TestContext) {
  let taken = "";
  const server = createServer(async (request, response) => {
    for await (const chunk of request) taken += chunk;
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  return { telemetry: { url }, taken: () => taken };
}

test("a config that is refused does not end the traces of the one that stays", async (t) => {
  const [first, other] = [await collectTraces(t), await collectTraces(t)];
  const { directory, gateway, reload, url } = await startConfig(t, { telemetry: first.telemetry });
  await writeFile(join(directory, "pinhole.lock"), "{");
  const refused = reload({ telemetry: other.telemetry, lock: "enforce" });
  await assert.rejects(refused, /pinhole\.lock cannot be used/);
  await postJson(`${url}/call`, { operation: "notes/list" });
  await reload({ telemetry: other.telemetry });
  await postJson(`${url}/call`, { operation: "notes/erase" });
  await gateway.close();
  assert.match(first.taken(), /notes\/list/);
  assert.doesNotMatch(first.taken(), /notes\/erase/);
  assert.match(other.taken(), /notes\/erase/);
});

const LISTENED = { notifications: { toolsListChanged: true } };

test("a client that listens at a facet is disconnected when a config takes the facet away, and only then", async (t) => {
  const facets = { notes: ["notes/*"], tags: ["notes/list"] };
  const { mcpUrl, reload, gateway } = await startConfig(t, { facets });
  /** What comes until the stream ends, once it has begun. */
  const listen = async (path: string) => {
    const response = await postModern(new URL(path, mcpUrl), "subscriptions/listen", LISTENED);
    return { said: response.text() };
  };
  const [main, notes, tags] = [await listen("/mcp"), await listen("/mcp/notes"), await listen("/mcp/tags")];
  await reload({ facets, deny: ["notes/erase"] });
  await reload({ facets: { tags: facets.tags } });
  assert.match(await notes.said, /acknowledged.*list_changed/s);
  await reload({ facets: { tags: ["notes/*"] } });
  await gateway.close();
  assert.match(
    await tags.said,
    /acknowledged.*list_changed/s,
    "it heard of configs that came after it, to the end",
  );
  assert.match(await main.said, /acknowledged/);
});

test("a gateway that is closed while it reads a config leaves nothing running, and takes no other one", async (t) => {
  const upstream = await new ScriptedUpstream().start();
  t.after(() => upstream.stop());
  const { gateway, reload } = await startConfig(t);
  const reloading = reload({ sources: { up: sourceOf(upstream) } });
  const later = gateway.reload();
  await gateway.close();
  await Promise.allSettled([reloading, later]);
  await until(() => upstream.connectionsOpen === 0);
  await assert.rejects(gateway.reload(), /closed/);
});
