import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { WebSocket } from "ws";
import { CALL_PROTOCOL, createConnection } from "../../src/protocol/index.ts";
import { connectByteStream } from "../../src/protocol/transports/index.ts";
import { startCallNode } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";

const PART = 300_000;

test("unfinished envelopes of all connections have one limit, and the one that has taken longest gives way", async (t) => {
  const { plugin } = createCallOperations();
  const node = await startCallNode({
    sources: [plugin],
    call: { maxUnfinishedBytes: 1_000_000, limits: { maxReceivedBytes: 500_000 } },
  });
  t.after(() => node.close());
  const ended: string[] = [];
  /** Begins an envelope over a wire and never ends it. */
  const begin = async (name: string, wire: "tcp" | "ws") => {
    const peerComes = node.nextPeer();
    if (wire === "tcp") {
      const socket = connect(node.tcp.port, "127.0.0.1").on("error", () => {});
      t.after(() => socket.destroy());
      const head = Buffer.alloc(4);
      head.writeUInt32BE(499_000);
      socket.write(Buffer.concat([head, Buffer.alloc(PART, "x")]));
    } else {
      const webSocket = new WebSocket(node.url, CALL_PROTOCOL).on("error", () => {});
      t.after(() => webSocket.terminate());
      await once(webSocket, "open");
      webSocket.send(Buffer.alloc(PART, "x"), { fin: false });
    }
    const { connection } = await peerComes;
    void connection.closed.then(({ code }) => ended.push(`${name} ${code}`));
    return connection;
  };
  const first = await begin("first", "ws");
  await waited(node, PART);
  await begin("second", "tcp");
  await waited(node, 2 * PART);
  await begin("third", "ws");
  await waited(node, 3 * PART);
  await begin("fourth", "tcp");
  assert.match((await first.closed).message, /no room for so many unfinished envelopes/);
  assert.deepEqual(ended, ["first stalled"]);

  const whole = createConnection({ transport: await connectByteStream(node.tcp) });
  t.after(() => whole.close());
  const text = "y".repeat(400_000);
  assert.deepEqual(await whole.call("demo/echo", { text }), { text }, "a whole one passes");
});

/** Settles when so many bytes wait. */
async function waited(
  { projection }: Awaited<ReturnType<typeof startCallNode>>,
  bytes: number,
): Promise<void> {
  while (projection.unfinished.bytes < bytes) await new Promise((go) => setTimeout(go, 5));
}
