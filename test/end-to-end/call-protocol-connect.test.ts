import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { connectPeer } from "pinhole/client";
import { CallError } from "pinhole/core";
import { WebSocket, WebSocketServer } from "ws";
import { listenByteStream } from "../../src/projections/to-call/index.ts";
import { CALL_PROTOCOL, connectWebSocket, createConnection } from "../../src/protocol/index.ts";
import { connectByteStream, connectWs } from "../../src/protocol/transports/index.ts";
import { startCallNode } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";

const CLIENTS = { connectWs, connectWebSocket };

describe("connecting over the call protocol", () => {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });

  async function serveWebSocket(options: { readonly protocol?: string; readonly greet?: string }) {
    const server = new WebSocketServer({ port: 0, handleProtocols: () => options.protocol ?? false });
    ends.push(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    await once(server, "listening");
    server.on("connection", (socket) => options.greet !== undefined && socket.send(options.greet));
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("an address where no gateway answers is UNAVAILABLE and says what to check", async () => {
    const web = createServer((_request, response) => void response.end("hello")).listen(0);
    ends.push(() => web.close());
    await once(web, "listening");
    const url = `ws://127.0.0.1:${(web.address() as AddressInfo).port}/`;
    const isUnavailable = (error: unknown) =>
      error instanceof CallError && error.code === "UNAVAILABLE" && /Check/.test(error.message);
    for (const connect of Object.values(CLIENTS)) {
      await assert.rejects(connect(url), isUnavailable);
      await assert.rejects(connect("ws://127.0.0.1:1/"), isUnavailable);
      await assert.rejects(connect(await serveWebSocket({})), isUnavailable);
    }
    await assert.rejects(connectByteStream({ host: "127.0.0.1", port: 1 }), isUnavailable);
    await assert.rejects(connectByteStream({ path: join(tmpdir(), "pinhole-nobody.sock") }), isUnavailable);
  });

  test("an address that cannot be that of a gateway is refused with the reason, and a fragment is not part of it", async () => {
    const isNone = (error: unknown) => error instanceof CallError && error.code === "INVALID_INPUT";
    for (const address of ["nothing", "ftp://tools.example.com", "mailto:ada@example.com"])
      await assert.rejects(connectPeer(address), isNone);
    const { url, close } = await startCallNode();
    ends.push(close);
    (await connectPeer(`${url}#top`)).close();
  });

  test("connecting can be given up, before and while it happens", async () => {
    const silent = createTcpServer(() => {}).listen(0, "127.0.0.1");
    ends.push(() => silent.close());
    await once(silent, "listening");
    const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const isMine = (error: unknown) => error === "enough";
    for (const connect of Object.values(CLIENTS)) {
      await assert.rejects(connect(url, { signal: AbortSignal.abort("enough") }), isMine);
      const controller = new AbortController();
      const pending = connect(url, { signal: controller.signal });
      const accepted = once(silent, "connection");
      await accepted;
      controller.abort("enough");
      await assert.rejects(pending, isMine);
    }
    for (const connect of Object.values(CLIENTS)) {
      await assert.rejects(
        connect(url, { handshakeMs: 50 }),
        (error) => error instanceof CallError && error.code === "UNAVAILABLE",
        "who waits for nothing is not left waiting",
      );
    }
    const address = { path: "/nowhere" };
    await assert.rejects(connectByteStream(address, { signal: AbortSignal.abort("enough") }), isMine);
  });

  test("what comes before anyone listens is not lost, and a text message breaks the protocol", async () => {
    const url = await serveWebSocket({ protocol: CALL_PROTOCOL, greet: "hello" });
    for (const connect of Object.values(CLIENTS)) {
      const transport = await connect(url);
      await new Promise((resolve) => setImmediate(resolve));
      const { code, message } = await createConnection({ transport }).closed;
      assert.deepEqual([code, message], ["protocol", "Envelopes are binary messages."]);
    }
  });

  test("a message that is too large closes the connection on both sides", async () => {
    const { plugin } = createCallOperations();
    const node = await startCallNode({ sources: [plugin], call: { limits: { maxEnvelopeBytes: 10_000 } } });
    ends.push(() => node.close());
    const peerComes = node.nextPeer();
    // A browser cannot read what the answer to its upgrade says about sizes.
    const connection = createConnection({ transport: await connectWebSocket(node.url) });
    const call = connection.call("demo/echo", { text: "x".repeat(20_000) });
    await assert.rejects(call, (error) => error instanceof CallError && error.code === "UNAVAILABLE");
    assert.match((await connection.closed).message, /1009.*larger than it takes/);
    assert.equal((await (await peerComes).connection.closed).code, "protocol");
  });

  test("a peer that gives no sign of life is gone", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const node = await startCallNode({ upgrade: { heartbeatMs: 40 } });
    ends.push(() => node.close());
    const [aliveComes, deadComes] = [node.nextPeer(), node.nextPeer()];
    const alive = new WebSocket(node.url, [CALL_PROTOCOL]);
    await once(alive, "open");
    const dead = new WebSocket(node.url, [CALL_PROTOCOL], { autoPong: false });
    const [living, dying] = await Promise.all([aliveComes, deadComes]);
    t.mock.timers.tick(40);
    // Its answer to the node's ping has come in when the node answers its own.
    await once(alive, "ping");
    alive.ping();
    await once(alive, "pong");
    t.mock.timers.tick(40);
    const { code, message } = await dying.connection.closed;
    assert.deepEqual([code, message], ["lost", "The peer gave no sign of life."]);
    assert.ok(node.projection.peers().includes(living), "one that answers pings stays");
    alive.terminate();
    dead.terminate();
  });

  test("a socket file that nobody serves is taken over, one that is served is not", async () => {
    const path = join(tmpdir(), `pinhole-stale-${process.pid}.sock`);
    const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", script]);
    assert.ok(existsSync(path), "a killed process leaves its file");
    const { projection, close } = await startCallNode();
    ends.push(close);
    const server = await listenByteStream(projection, { path });
    await assert.rejects(listenByteStream(projection, { path }), { code: "EADDRINUSE" });
    await server.close();
  });

  test("a file that is no socket is never taken over", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "pinhole-file-")), "notes.txt");
    ends.push(() => rmSync(dirname(path), { recursive: true }));
    writeFileSync(path, "precious");
    const { projection, close } = await startCallNode();
    ends.push(close);
    await assert.rejects(listenByteStream(projection, { path }), /EADDRINUSE/);
    assert.equal(readFileSync(path, "utf8"), "precious");
  });
});
