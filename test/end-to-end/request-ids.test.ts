import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { CallError } from "pinhole/client";
import { type ConfigGateway, startConfig } from "../support/config-gateway.ts";
import { eventsOf, postJson } from "../support/http-wire.ts";
import { CLIENTS } from "../support/mcp-clients.ts";
import { openPeer } from "../support/peer-client.ts";
import { until } from "../support/scripted-upstream/index.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
const BROKEN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  export default definePlugin({ name: "broken", operations: [
    defineOperation({ name: "broken/throw", type: "query", description: "Fails.", handler: () => { throw new Error("a bug") } }),
    defineOperation({ name: "broken/good", type: "query", description: "Works.", handler: () => 1 }),
    defineOperation({ name: "broken/stream", type: "subscription", description: "Streams, then fails.",
      async *handler() { yield 1; throw new Error("a bug") } }),
  ] });`;

const REPORT = /report request ([\w-]{36}) to the operator of this gateway/;

/** Lines of a log as objects. */
function linesOf({ logged }: ConfigGateway): readonly Record<string, unknown>[] {
  return logged()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The line that a log has about an id; there must be one. */
function lineOf(gateway: ConfigGateway, id: unknown): Record<string, unknown> {
  const found = linesOf(gateway).filter(({ requestId }) => requestId === id);
  assert.ok(found.length > 0, `${id} is not in the log`);
  return Object.assign({}, ...found);
}

async function startBroken(t: TestContext): Promise<ConfigGateway> {
  const gateway = await startConfig(t);
  await writeFile(join(gateway.directory, "broken.ts"), BROKEN);
  await gateway.reload({ sources: { broken: { plugin: "./broken.ts" } } });
  return gateway;
}

const CALLS = ["broken/throw", "broken/none", "broken/good"].map((operation) => ({ operation }));

describe("the id in an answer is in the log of the node that gave it", () => {
  for (const [name, connect] of Object.entries(CLIENTS))
    test(`the request id in an answer over MCP is in the log of the node that gave it: ${name}`, async (t) => {
      const node = await startBroken(t);
      const client = await connect(node.mcpUrl);
      t.after(() => client.close());
      const idOf = (answer: { _meta?: Readonly<Record<string, unknown>> }) =>
        answer._meta?.["pinhole/requestId"];

      const failed = await client.call("call", { operation: "broken/throw" });
      assert.equal(REPORT.exec(JSON.stringify(failed.content))?.[1], idOf(failed));
      lineOf(node, idOf(failed));
      const batch = await client.call("batch", { calls: CALLS });
      const { results } = batch.structuredContent as { results: { requestId: string }[] };
      for (const { requestId } of results)
        assert.equal(lineOf(node, requestId).parentRequestId, idOf(batch), "an item names its batch");
      for (const wrong of [{ calls: [] }, { calls: Array(51).fill(CALLS[0]) }, { calls: "x" }, {}])
        lineOf(node, idOf(await client.call("batch", wrong)));
      lineOf(node, idOf(await client.call("call", {})));
    });

  test("the request id in an answer over HTTP is in the log of the node that gave it, refusals and streams included", async (t) => {
    const node = await startBroken(t);
    const post = async (path: string, body: unknown) => {
      const response = await postJson(`${node.url}${path}`, body);
      return (await response.json()) as { requestId: string; results?: { requestId: string }[] };
    };
    for (const [path, body] of [
      ["/call", { operation: "broken/throw" }],
      ["/call", { operation: "broken/none" }],
      ["/call", {}],
      ["/call", []],
      ["/batch", { calls: [] }],
      ["/schema", { names: 7 }],
      ["/subscribe", { operation: "broken/good" }],
    ] as const)
      lineOf(node, (await post(path, body)).requestId);
    const { requestId, results = [] } = await post("/batch", { calls: CALLS });
    assert.deepEqual(
      results.map((each) => lineOf(node, each.requestId).parentRequestId),
      CALLS.map(() => requestId),
    );
    const wrongMethod = await fetch(`${node.url}/call`);
    lineOf(node, ((await wrongMethod.json()) as { requestId: string }).requestId);
    const stream = await postJson(`${node.url}/subscribe`, { operation: "broken/stream" });
    for await (const _ of eventsOf(stream));
    lineOf(node, stream.headers.get("x-request-id"));
  });

  test("the request id in an answer over the call protocol is in the log of the node that gave it, streams and calls that are cut off included", async (t) => {
    const node = await startBroken(t);
    const peer = await openPeer(t, `${node.url.replace("http", "ws")}/call-protocol`);
    const ids: string[] = [];
    const onNamed = (id: string) => void ids.push(id);
    const error = await peer.call("broken/throw", {}, { onNamed }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof CallError);
    assert.equal(REPORT.exec(error.message)?.[1], ids[0]);
    await peer.call("broken/good", {}, { onNamed });
    const items = peer.subscribe("broken/stream", {}, { onNamed });
    assert.deepEqual(await items.next(), { done: false, value: 1 });
    assert.equal(ids.length, 3, "a stream is named with its first item");
    await assert.rejects(items.next(), REPORT);
    await peer.call("broken/none", {}, { onNamed }).catch(() => {});
    assert.equal(ids.length, 4);
    for (const id of ids) lineOf(node, id);
  });
});

test("over two peers each log leads to the next, and the caller is told the id of the node that it called", async (t) => {
  const third = await startBroken(t);
  const peerAt = ({ url }: ConfigGateway) => ({
    peer: `${url.replace("http", "ws")}/call-protocol`,
    external: "*",
    allowPrivate: true,
  });
  const second = await startConfig(t, { sources: { third: peerAt(third) } });
  const first = await startConfig(t, { sources: { second: peerAt(second) } });
  const far = "second/third/broken";
  await until(() => first.gateway.registry.snapshot().find(`${far}/throw`) !== undefined);

  const response = await postJson(`${first.url}/call`, { operation: `${far}/throw` });
  const { requestId, error } = (await response.json()) as { requestId: string; error: { message: string } };
  assert.equal(REPORT.exec(error.message)?.[1], requestId);
  const atSecond = lineOf(first, requestId).remoteRequestId;
  const atThird = lineOf(second, atSecond).remoteRequestId;
  assert.match(String(lineOf(third, atThird).error), /a bug/);

  const good = await postJson(`${first.url}/call`, { operation: `${far}/good` });
  const { requestId: id } = (await good.json()) as { requestId: string };
  lineOf(third, lineOf(second, lineOf(first, id).remoteRequestId).remoteRequestId);

  const stream = await postJson(`${first.url}/subscribe`, { operation: `${far}/stream` });
  const said: unknown[] = [];
  for await (const event of eventsOf(stream)) said.push(event);
  const streamId = stream.headers.get("x-request-id");
  assert.equal(REPORT.exec(JSON.stringify(said))?.[1], streamId);
  lineOf(third, lineOf(second, lineOf(first, streamId).remoteRequestId).remoteRequestId);
});
