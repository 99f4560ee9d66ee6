import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CallError } from "pinhole/core";
import { createConnection } from "../../src/protocol/index.ts";
import { type CallNodeOptions, startCallNode, WAYS } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { peerAt } from "../support/peer-process.ts";

type Way = (typeof WAYS)[string];

/** A connection on which a call is under way, which must live on whatever another call asks for. */
async function connectBusy(t: TestContext, way: Way | undefined, call: CallNodeOptions["call"] = {}) {
  const { plugin, until } = createCallOperations();
  const node = await startCallNode({ sources: [plugin], call });
  t.after(() => node.close());
  const service = {
    call: async () => nested(200),
    subscribe: () => assert.fail("Nobody asked for a stream."),
  };
  const peerComes = node.nextPeer();
  const connection = createConnection({ transport: await (way ?? assert.fail())(node), service });
  t.after(() => connection.close());
  const running = connection.call("demo/hang", {}, { deadlineMs: 20_000 });
  running.catch(() => {});
  await until(({ contexts }) => contexts.length > 0);
  const livesOn = async () => {
    assert.deepEqual(await connection.call("demo/echo", { still: "here" }), { still: "here" });
    assert.equal(connection.pending().outgoing, 1, "the call that was under way is under way");
  };
  return { connection, livesOn, peer: await peerComes };
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`what the other side would hang up over is an error of its call alone, over ${name}`, async (t) => {
    const { connection, livesOn, peer } = await connectBusy(t, way);
    const call = (options: object) => codeOf(connection.call("demo/echo", {}, options));
    assert.equal(await codeOf(connection.call("demo/echo", nested(200))), "INVALID_INPUT");
    assert.equal(await codeOf(connection.call(`demo/${"x".repeat(300)}`)), "INVALID_INPUT");
    assert.equal(await codeOf(connection.subscribe("demo/count", nested(200)).next()), "INVALID_INPUT");
    assert.equal(await call({ forwardedFor: "x".repeat(5_000) }), "INVALID_INPUT");
    assert.equal(await call({ deadlineMs: Number.NaN }), "INVALID_INPUT");
    assert.equal(await call({ deadlineMs: -1 }), "TIMEOUT");
    assert.equal(await codeOf(peer.connection.call("own/deep")), "RESULT_TOO_LARGE");
    await livesOn();
  });
}

test("a caller cannot have more time than the gateway allows, on any transport", async (t) => {
  const { plugin } = createCallOperations();
  const node = await startCallNode({ sources: [plugin], deadlineMs: 50 });
  t.after(() => node.close());
  for (const way of Object.values(WAYS)) {
    const connection = createConnection({ transport: await way(node) });
    const error = await connection
      .call("demo/hang", {}, { deadlineMs: 1e12 })
      .catch((thrown: CallError) => thrown);
    assert.ok(error instanceof CallError);
    assert.deepEqual([error.code, error.retryable], ["TIMEOUT", true]);
    connection.close();
  }
});

test("a WebSocket says at the upgrade how much is taken, and more is not sent", async (t) => {
  const limits = { maxReceivedBytes: 10_000 };
  const { connection, livesOn } = await connectBusy(t, WAYS["a WebSocket of Node"], { limits });
  const isTooLarge = (error: unknown) =>
    error instanceof CallError && error.code === "INVALID_INPUT" && /at most 10000 bytes/.test(error.message);
  await assert.rejects(connection.call("demo/echo", { text: "x".repeat(10_000) }), isTooLarge);
  await livesOn();
});

test("a caller of a hub cannot end the hub's connection to a peer, however large or deep its input is", async (t) => {
  const west = await startConfig(t, { server: { maxBodyBytes: 20_000 } });
  const hub = await startConfig(t, {
    server: { maxNesting: 512 },
    sources: { west: peerAt(Number(new URL(west.url).port)) },
  });
  for (const more of ["x".repeat(30_000), nested(200)]) {
    const input = { text: "One.", more };
    const response = await postJson(`${hub.url}/call`, { operation: "west/notes/add", input });
    const { error } = (await response.json()) as { error: { code: string } };
    assert.equal(error.code, "INVALID_INPUT");
  }
  assert.doesNotMatch(hub.logged(), /A peer is gone/);
});

function nested(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level++) value = { value };
  return value;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (thrown) => (thrown instanceof CallError ? thrown.code : `not a CallError: ${thrown}`),
  );
}
