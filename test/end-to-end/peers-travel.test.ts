import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CallError, type OfferedOperation } from "pinhole/client";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { postModern } from "../support/mcp-wire.ts";
import { openPeer } from "../support/peer-client.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** A list of a megabyte and a half, which no gateway hands out whole, and operations that ask and tell while they run. */
const LAB = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const rows = { type: "object", properties: { rows: { type: "array" } }, required: ["rows"] };
  const big = () => ({ rows: Array.from({ length: 1500 }, (_, at) => ({ at, text: "x".repeat(1000) })), name: { name: "deep" } });
  export default definePlugin({ name: "lab", operations: [
    defineOperation({ name: "lab/big", type: "query", description: "Answers a lot.", outputSchema: rows, handler: big }),
    defineOperation({ name: "lab/many", type: "subscription", description: "Streams a lot.", outputSchema: rows,
      async *handler() { yield big(); yield big(); } }),
    defineOperation({ name: "lab/slow", type: "query", description: "Tells how far it is.",
      async handler(_, { progress }) {
        progress({ progress: 1, total: 2, message: "half" });
        for (let more = 0; more < 1000; more++) progress({ progress: Number.NaN });
        return "done";
      } }),
    defineOperation({ name: "lab/ask", type: "mutation", description: "Asks.",
      handler: (_, { requestInput }) => requestInput({ key: "name", message: "Who?", schema: { type: "object" } }) }),
  ] });`;

/** Two or three gateways in line, each importing the one before as `next`. */
async function line(t: TestContext, length: number) {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-lab-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const plugin = join(directory, "lab.ts");
  await writeFile(plugin, LAB);
  let last = await startConfig(t, {
    sources: { lab: { plugin, public: true } },
    limits: { outputValidation: "enforce" },
  });
  for (let at = 1; at < length; at++) {
    const peer = `${last.url.replace("http", "ws")}/call-protocol`;
    last = await startConfig(t, {
      sources: { next: { peer, allowPrivate: true, external: "*" } },
      limits: { outputValidation: "enforce" },
    });
  }
  return last;
}

for (const length of [2, 3]) {
  const prefix = "next/".repeat(length - 1);
  test(`select is applied at the last of ${length} nodes, before its size limit, on every wire`, async (t) => {
    const { url, mcpUrl } = await line(t, length);
    const call = { operation: `${prefix}lab/big`, select: "rows[3].at" };
    const http = (await (await postJson(`${url}/call`, call)).json()) as { output?: unknown };
    assert.equal(http.output, 3, JSON.stringify(http));
    const batch = (await (await postJson(`${url}/batch`, { calls: [call] })).json()) as {
      results: { output?: unknown }[];
    };
    assert.equal(batch.results[0]?.output, 3);
    const mcp = await postModern(mcpUrl, "tools/call", { name: "call", arguments: call });
    assert.match(await mcp.text(), /"structuredContent":\{"output":3\}/);
    const peer = await openPeer(t, url);
    assert.equal(await peer.call(call.operation, {}, { select: call.select }), 3);
    // Applied twice it would find the name within the name.
    assert.deepEqual(await peer.call(call.operation, {}, { select: "name" }), { name: "deep" });
    const items: unknown[] = [];
    for await (const item of peer.subscribe(`${prefix}lab/many`, {}, { select: "rows[0].at" }))
      items.push(item);
    assert.deepEqual(items, [0, 0]);
  });

  test(`progress of an operation at the end of ${length} nodes reaches callers that take it`, async (t) => {
    const { url, mcpUrl } = await line(t, length);
    const operation = `${prefix}lab/slow`;
    const peer = await openPeer(t, url);
    const told: unknown[] = [];
    assert.equal(await peer.call(operation, {}, { onProgress: (update) => told.push(update) }), "done");
    // Later ones may be dropped where they come close together.
    assert.deepEqual(told[0], { progress: 1, total: 2, message: "half" });
    const call = { name: "call", arguments: { operation } };
    const mcp = await postModern(mcpUrl, "tools/call", call, { meta: { progressToken: "p" } });
    assert.match(await mcp.text(), /notifications\/progress.*"message":"half"/s);
    assert.equal(await peer.call(operation), "done", "nothing comes unasked");
  });

  test(`an operation at the end of ${length} nodes that asks its caller says plainly that it cannot`, async (t) => {
    const { url, mcpUrl } = await line(t, length);
    const operation = `${prefix}lab/ask`;
    const http = await postJson(`${url}/call`, { operation });
    assert.equal(http.status, 400);
    const { error } = (await http.json()) as { error: { code: string; retryable: boolean; message: string } };
    assert.deepEqual([error.code, error.retryable], ["INVALID_OPERATION_TYPE", false]);
    assert.match(error.message, /asks for input while it runs/);
    const capabilities = { elicitation: { form: {} } };
    const mcp = await postModern(
      mcpUrl,
      "tools/call",
      { name: "call", arguments: { operation } },
      { capabilities },
    );
    assert.match(await mcp.text(), /INVALID_OPERATION_TYPE/);
    const peer = await openPeer(t, url);
    await assert.rejects(peer.call(operation), { code: "INVALID_OPERATION_TYPE", retryable: false });
  });
}

test("an offered operation tells its caller how far it is", async (t) => {
  const { url } = await startConfig(t);
  const peer = await openPeer(t, url);
  const handler: OfferedOperation["handler"] = (_, { progress }) => progress({ progress: 1 });
  const [name = ""] = await peer.offer([{ name: "lab/one", type: "query", description: "One.", handler }]);
  const told: unknown[] = [];
  await peer.call(name, {}, { onProgress: (update) => told.push(update) });
  assert.deepEqual(told, [{ progress: 1 }]);
});

test("select holds for an operation whose node does not apply it", async (t) => {
  const { url } = await startConfig(t);
  const peer = await openPeer(t, url);
  const handler: OfferedOperation["handler"] = () => ({ one: { one: 1 } });
  const [name = ""] = await peer.offer([{ name: "lab/one", type: "query", description: "One.", handler }]);
  assert.deepEqual(await peer.call(name, {}, { select: "one" }), { one: 1 });
  await assert.rejects(peer.call(name, {}, { select: "one[" }), (error) => error instanceof CallError);
});
