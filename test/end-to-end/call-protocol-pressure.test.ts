import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { FrameReader, toFrame } from "../../src/protocol/index.ts";
import { type CallNode, startCallNode } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";

describe("a peer on a byte stream that does not behave", () => {
  const { plugin, witness } = createCallOperations();
  let node: CallNode;
  before(async () => {
    node = await startCallNode({
      sources: [plugin],
      call: {
        limits: { slowConsumerMs: 200, stalledMs: 400, maxIncomingCalls: 50, maxWaitingBytes: 100_000 },
      },
    });
  });
  after(() => node.close());

  async function dial(): Promise<Socket> {
    const socket = connect(node.unix.path);
    await once(socket, "connect");
    return socket;
  }

  function say(socket: Socket, type: string, id: string, payload: object): void {
    socket.write(toFrame(JSON.stringify({ type, id, payload })));
  }

  /** Everything until the other side hangs up. */
  async function listen(
    socket: Socket,
  ): Promise<{ type: string; id: string; payload: Record<string, unknown> }[]> {
    const reader = new FrameReader();
    const envelopes = [];
    for await (const chunk of socket) {
      for (const bytes of reader.push(chunk)) envelopes.push(JSON.parse(Buffer.from(bytes).toString()));
    }
    return envelopes;
  }

  test("a peer that grants without end and reads nothing holds up its stream, not memory, and is disconnected", async () => {
    witness.made = 0;
    const peerComes = node.nextPeer();
    const socket = await dial();
    const { connection } = await peerComes;
    say(socket, "call.credit", "s", { n: 1 });
    say(socket, "call.requested", "s", { operationId: "/demo/count", stream: true, input: { pad: 10_000 } });
    for (let grant = 0; grant < 100; grant++) say(socket, "call.credit", "s", { n: 2_147_483_647 });
    assert.equal((await connection.closed).code, "stalled");
    assert.ok(witness.made < 1_000, `${witness.made} items of 10 kB were made for nobody`);
    socket.destroy();
  });

  test("a peer that asks for more than may run at a time is refused, call by call", async () => {
    const socket = await dial();
    for (let call = 0; call < 80; call++) {
      say(socket, "call.requested", `c${call}`, { operationId: "/demo/hang", deadlineMs: 1_000 });
    }
    const envelopes: { id: string; payload: Record<string, unknown> }[] = [];
    const reader = new FrameReader();
    for await (const chunk of socket) {
      for (const bytes of reader.push(chunk)) envelopes.push(JSON.parse(Buffer.from(bytes).toString()));
      if (envelopes.length === 80) break;
    }
    const codes = envelopes.map(({ payload }) => payload.code);
    assert.equal(codes.filter((code) => code === "RATE_LIMITED").length, 30);
    assert.equal(codes.filter((code) => code === "TIMEOUT").length, 50);
    assert.equal(new Set(envelopes.map(({ id }) => id)).size, 80, "each is answered once");
    socket.destroy();
  });

  test("a peer that asks for ever and reads no answers is disconnected before they pile up", async () => {
    const peerComes = node.nextPeer();
    const socket = await dial();
    socket.on("error", () => {});
    const { connection } = await peerComes;
    const text = "x".repeat(4_000);
    let isOver = false;
    void connection.closed.then(() => {
      isOver = true;
    });
    for (let call = 0; !isOver; call++) {
      // Large answers to few requests: the connection is not cut for the number of its requests.
      say(socket, "call.requested", `c${call}`, { operationId: "/demo/echo", input: { text } });
      if (call % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(call < 1_000_000, "it was never let go");
    }
    assert.equal((await connection.closed).code, "stalled");
    socket.destroy();
  });

  test("a length that cannot be, or a break within an envelope, ends the connection and all that runs for it", async () => {
    for (const bytes of [Uint8Array.from([0, 0, 0, 0]), Uint8Array.from([4, 0, 0, 1])]) {
      const socket = await dial();
      say(socket, "call.requested", "h", { operationId: "/demo/hang" });
      socket.write(bytes);
      const last = (await listen(socket)).at(-1);
      assert.equal(last?.type, "connection.closed");
      assert.match(String(last?.payload.reason), /An envelope has/);
    }
    const peerComes = node.nextPeer();
    const socket = await dial();
    const { connection } = await peerComes;
    socket.end(Uint8Array.from([0, 0, 1, 0, 0x7b]));
    assert.match((await connection.closed).message, /in the middle of an envelope/);
    assert.deepEqual(connection.pending().incoming, 0);
  });

  test("a request in single bytes is a request", async () => {
    const socket = await dial();
    const frame = toFrame(
      JSON.stringify({
        type: "call.requested",
        id: "1",
        payload: { operationId: "/demo/echo", input: { a: "ü" } },
      }),
    );
    socket.setNoDelay(true);
    for (const byte of frame) {
      socket.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [chunk] = await once(socket, "data");
    const [bytes] = new FrameReader().push(chunk);
    const { output, requestId, ...more } = JSON.parse(Buffer.from(bytes ?? []).toString()).payload;
    assert.deepEqual([output, more], [{ a: "ü" }, {}]);
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    socket.destroy();
  });
});
