import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { after, describe, test } from "node:test";
import { CallError, type Identity } from "pinhole/core";
import {
  connectWebSocket,
  createConnection,
  type Transport,
  toSubprotocols,
} from "../../src/protocol/index.ts";
import { connectByteStream, connectWs } from "../../src/protocol/transports/index.ts";
import { type CallNode, type CallNodeOptions, startCallNode } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: [] };
const BOB: Identity = { id: "bob", authenticated: true, scopes: [] };

describe("who calls over the call protocol", () => {
  const ends: (() => void | Promise<void>)[] = [];
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });

  async function start(options: CallNodeOptions = {}) {
    const known = new Map([
      ["ada-token", ADA],
      ["bob-token", BOB],
    ]);
    const { plugin, witness } = createCallOperations();
    const node = await startCallNode({
      sources: [plugin],
      resolveIdentity: async (token) => known.get(token),
      policy: { anonymous: false },
      ...options,
    });
    ends.push(() => node.close());
    return { node, known, witness };
  }

  function speakOver(transport: Transport) {
    const connection = createConnection({ transport });
    ends.push(() => connection.close());
    return connection;
  }

  test("a token at the upgrade names the caller of every request, as header or as subprotocol", async () => {
    const { node } = await start();
    const transports = [
      await connectWs(node.url, { token: "ada-token" }),
      await connectWebSocket(node.url, { token: "ada-token" }),
    ];
    for (const transport of transports) {
      assert.deepEqual(await speakOver(transport).call("demo/whoami"), { id: "ada", forwardedFor: null });
    }
  });

  test("a missing token is 401 where one is needed, and so is an unknown one", async () => {
    const { node } = await start();
    const isRefused = (error: unknown) =>
      error instanceof CallError && error.code === "UNAUTHORIZED_UPSTREAM";
    await assert.rejects(connectWs(node.url), isRefused);
    await assert.rejects(connectWs(node.url, { token: "nobody" }), isRefused);
    await assert.rejects(connectWebSocket(node.url, { token: "nobody" }), CallError);
    const { status, headers, body } = await upgrade(node, {});
    assert.equal(status, 401);
    assert.equal(headers["www-authenticate"], 'Bearer realm="pinhole"');
    assert.equal(JSON.parse(body).error.code, "FORBIDDEN");
    assert.equal((await upgrade(node, { authorization: "Basic YTpi" })).status, 401);
  });

  test("a caller that is refused is disconnected, also if it never hangs up itself", async () => {
    const { node } = await start();
    const { hostname, port, host } = new URL(node.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const headers = `Host: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13`;
    socket.write(
      `GET /call-protocol HTTP/1.1\r\n${headers}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    let answer = "";
    for await (const chunk of socket.setEncoding("utf8").iterator({ destroyOnReturn: false }))
      answer += chunk;
    assert.match(answer, /^HTTP\/1\.1 401 /);
    // What is written to a socket that is gone breaks it; to one that is half open it does not.
    const broken = once(socket, "error");
    const writing = setInterval(() => socket.write("more"), 5);
    const [error] = await broken;
    clearInterval(writing);
    assert.match(String(error), /EPIPE|ECONNRESET/);
  });

  test("a token in a subprotocol is not sent back", async () => {
    const { node } = await start();
    const offered = toSubprotocols("ada-token").join(", ");
    const { status, headers } = await upgrade(node, { "sec-websocket-protocol": offered });
    assert.equal(status, 101);
    assert.equal(headers["sec-websocket-protocol"], "pinhole.call.v1");
  });

  test("authToken is the identity of its request alone; one that does not resolve is FORBIDDEN", async () => {
    const { node } = await start();
    const connection = speakOver(await connectWs(node.url, { token: "ada-token" }));
    const [bob, nobody, ada] = await Promise.all([
      connection.call("demo/whoami", {}, { authToken: "bob-token", forwardedFor: "root" }),
      codeOf(connection.call("demo/whoami", {}, { authToken: "nobody" })),
      connection.call("demo/whoami"),
    ]);
    assert.deepEqual(bob, { id: "bob", forwardedFor: "root" });
    assert.equal(nobody, "FORBIDDEN");
    assert.deepEqual(ada, { id: "ada", forwardedFor: null });
    const items = connection.subscribe("demo/count", {}, { authToken: "nobody" });
    assert.equal(await codeOf(items.next()), "FORBIDDEN");
  });

  test("a byte stream carries a token in each request, and is nobody's without", async () => {
    const { node } = await start();
    const connection = speakOver(await connectByteStream(node.unix));
    assert.equal(await codeOf(connection.call("demo/whoami")), "FORBIDDEN");
    const ada = await connection.call("demo/whoami", {}, { authToken: "ada-token" });
    assert.deepEqual(ada, { id: "ada", forwardedFor: null });
  });

  test("a token that is revoked while the connection lasts opens nothing any more", async () => {
    const { node, known } = await start();
    const connection = speakOver(await connectWs(node.url, { token: "ada-token" }));
    await connection.call("demo/whoami");
    known.delete("ada-token");
    assert.equal(await codeOf(connection.call("demo/whoami")), "FORBIDDEN");
  });

  test("each call knows its connection, its deadline and its trace", async () => {
    const { node, witness } = await start({ policy: { anonymous: true } });
    const peerComes = node.nextPeer();
    const connection = speakOver(await connectByteStream(node.tcp));
    const { id, identity } = await peerComes;
    assert.equal(identity.authenticated, false);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const before = Date.now();
    await connection.call("demo/echo", {}, { deadlineMs: 5_000, traceparent, hops: ["far"] });
    const took = Date.now() - before;
    const context = witness.contexts.at(-1) ?? assert.fail();
    assert.equal(context.connection, id);
    assert.equal(context.trace?.traceparent, traceparent);
    assert.deepEqual(context.hops, ["far"]);
    const left = (context.deadline ?? 0) - before;
    assert.ok(left >= 5_000 && left <= 5_000 + took, `${left} ms are left`);
  });

  test("a call that has passed this node, or too many, is refused and not worth another try", async () => {
    const { node, witness } = await start({ policy: { anonymous: true }, call: { nodeId: "here" } });
    const connection = speakOver(await connectByteStream(node.tcp));
    for (const hops of [["here"], ["a", "here", "b"], Array.from({ length: 8 }, (_, hop) => `n${hop}`)]) {
      const isFinal = (error: unknown) =>
        error instanceof CallError && error.code === "UNAVAILABLE" && !error.retryable;
      await assert.rejects(connection.call("demo/echo", {}, { hops }), isFinal);
    }
    assert.equal(witness.contexts.length, 0);
    assert.deepEqual(await connection.call("demo/echo", {}, { hops: ["a", "b"] }), {});
  });

  test("other addresses, other subprotocols, bad hosts and too many connections are refused", async () => {
    const { node } = await start({
      policy: { anonymous: true },
      call: { maxConnections: 1 },
      upgrade: {
        guard: ({ headers }) =>
          headers.host === "evil.example" ? { status: 403, message: "No." } : undefined,
      },
    });
    assert.equal((await upgrade(node, {}, "/elsewhere")).status, 404);
    assert.equal((await upgrade(node, { "sec-websocket-protocol": "graphql-ws" })).status, 400);
    assert.equal((await upgrade(node, { host: "evil.example" })).status, 403);
    speakOver(await connectWs(node.url));
    assert.equal((await upgrade(node, {})).status, 503);
    const refused = createConnection({ transport: await connectByteStream(node.tcp) });
    assert.match((await refused.closed).message, /no more connections/);
  });

  test("one caller cannot take the connections of the others", async () => {
    const { node } = await start({ call: { maxConnectionsOf: ({ id }) => (id === "ada" ? 2 : 1) } });
    const headers = { authorization: "Bearer ada-token" };
    const first = speakOver(await connectWs(node.url, { token: "ada-token" }));
    speakOver(await connectWs(node.url, { token: "ada-token" }));
    const { status, body } = await upgrade(node, headers);
    const { error } = JSON.parse(body);
    assert.deepEqual([status, error.code, error.retryable], [429, "RATE_LIMITED", true]);
    assert.match(error.message, /has 2 connections, which is the most/);
    const bob = speakOver(await connectWs(node.url, { token: "bob-token" }));
    assert.equal(await codeOf(bob.call("demo/whoami")), "ok");
    const nobody = speakOver(await connectByteStream(node.unix));
    await nobody.call("demo/whoami", {}, { authToken: "bob-token" });
    const refused = createConnection({ transport: await connectByteStream(node.tcp) });
    assert.match((await refused.closed).message, /which is the most/);
    first.close();
    while (node.projection.peers().length > 3) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await upgrade(node, headers)).status, 101);
  });

  test("silent connections without a token keep out nobody who has one", async () => {
    const { node } = await start({ call: { maxConnectionsOf: () => 2 } });
    const silent = [await connectByteStream(node.tcp), await connectByteStream(node.tcp)].map((transport) =>
      createConnection({ transport }),
    );
    while (node.projection.peers().length < 2) await new Promise((resolve) => setImmediate(resolve));
    const bob = speakOver(await connectByteStream(node.tcp));
    assert.equal(await codeOf(bob.call("demo/whoami", {}, { authToken: "bob-token" })), "ok");
    assert.match((await Promise.race(silent.map(({ closed }) => closed))).message, /has no token/);
    for (let round = 0; round < 5; round++) speakOver(await connectByteStream(node.tcp));
    assert.equal(await codeOf(bob.call("demo/whoami", {}, { authToken: "bob-token" })), "ok");
  });

  test("connections without a token on which nothing runs are ended, those with one stay", async () => {
    const { node } = await start({ policy: { anonymous: true }, call: { idleMs: 0 } });
    const silent = createConnection({ transport: await connectByteStream(node.tcp) });
    const busy = speakOver(await connectByteStream(node.tcp));
    const items = busy.subscribe("demo/count", {});
    await items.next();
    const token = speakOver(await connectWs(node.url, { token: "ada-token" }));
    const proven = speakOver(await connectByteStream(node.unix));
    await proven.call("demo/whoami", {}, { authToken: "bob-token" });
    while (node.projection.peers().length < 4) await new Promise((resolve) => setImmediate(resolve));
    await node.projection.recheck();
    assert.match((await silent.closed).message, /has no token, and nothing ran on it/);
    assert.equal(node.projection.peers().length, 3);
    for (const kept of [token, proven, busy])
      assert.equal(await codeOf(kept.call("demo/whoami", {}, { authToken: "bob-token" })), "ok");
    await items.return?.();
  });

  test("a node that stops lets calls finish, takes no new ones, and ends streams", async () => {
    const { node, witness } = await start({ policy: { anonymous: true } });
    const [busy, idle] = [speakOver(await connectWs(node.url)), speakOver(await connectWs(node.url))];
    const items = idle.subscribe("demo/count", {});
    await items.next();
    const hanging = codeOf(busy.call("demo/hang", {}, { deadlineMs: 1_500 }));
    while (witness.contexts.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const stopped = node.projection.close(10_000);
    assert.equal((await idle.closed).code, "leaving");
    const rest = (async () => {
      for await (const item of items) assert.ok(item !== undefined);
    })();
    assert.equal(await codeOf(rest), "UNAVAILABLE");
    assert.equal(await codeOf(busy.call("demo/echo", {})), "UNAVAILABLE");
    assert.equal(await hanging, "TIMEOUT");
    assert.equal((await busy.closed).code, "leaving");
    await stopped;
  });
});

async function upgrade(node: CallNode, headers: Record<string, string>, path?: string) {
  const url = new URL(node.url.replace("ws:", "http:"));
  const sent = request(new URL(path ?? url.pathname, url), {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  }).end();
  const [response] = await Promise.race([once(sent, "response"), once(sent, "upgrade")]);
  let body = "";
  if (response.statusCode === 101) sent.destroy();
  else for await (const chunk of response) body += chunk;
  return { status: response.statusCode as number, headers: response.headers, body };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (thrown) => (thrown instanceof CallError ? thrown.code : `not a CallError: ${thrown}`),
  );
}
