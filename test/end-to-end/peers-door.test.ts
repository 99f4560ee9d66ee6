import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { CallError, connectPeer } from "pinhole/client";
import { WebSocket } from "ws";
import { hashToken } from "../../src/identity/index.ts";
import { createConnection } from "../../src/protocol/index.ts";
import { connectByteStream } from "../../src/protocol/transports/index.ts";
import { makeCertificate } from "../support/certificate.ts";
import { startConfig } from "../support/config-gateway.ts";
import { freePort } from "../support/free-port.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";
import { codeOf, openPeer } from "../support/peer-client.ts";

const ADA = { id: "ada", tokenHash: hashToken("ada-token"), scopes: ["tags"] };

test("a gateway takes WebSockets on its own port, and tokens name the callers", async (t) => {
  const { url } = await startConfig(t, { identities: [ADA] });
  const ada = await openPeer(t, url, "ada-token");
  assert.deepEqual(await ada.call("tags/list"), { tags: [] });
  const items: unknown[] = [];
  for await (const item of ada.subscribe("notes/follow")) items.push(item);
  assert.deepEqual(items, [1]);
  await assert.rejects(connectPeer(url, { token: "nobody" }), CallError);
  await assert.rejects(connectPeer(url), CallError);
});

test("an upgrade passes the same guard as a request: names, origins, address, token", async (t) => {
  const { url } = await startConfig(t, { identities: [ADA] });
  const at = `${url.replace("http", "ws")}/call-protocol`;
  const statusOf = (address: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(address, ["pinhole.call.v1"], { headers });
      socket.once("unexpected-response", (request, response) => {
        request.destroy();
        resolve(response.statusCode ?? 0);
      });
      socket.once("open", () => {
        socket.terminate();
        resolve(101);
      });
      socket.on("error", () => {});
    });
  const authorization = "Bearer ada-token";
  assert.equal(await statusOf(at, { authorization }), 101);
  assert.equal(await statusOf(at), 401);
  assert.equal(await statusOf(at, { authorization, host: "evil.example" }), 403);
  assert.equal(await statusOf(at, { authorization, origin: "https://evil.example" }), 403);
  assert.equal(await statusOf(at, { authorization, origin: "http://localhost:5173" }), 101);
  assert.equal(await statusOf(at.replace("/call-protocol", "/mcp"), { authorization }), 404);
});

test("HTTPS carries it too, on the port that speaks HTTP/2", async (t) => {
  const certificate = makeCertificate();
  const files = { "cert.pem": certificate.cert, "key.pem": certificate.key };
  const config = { server: { tls: { cert: "cert.pem", key: { file: "key.pem" } } } };
  const { gateway } = await startIdentityGateway(t, config, { files });
  const peer = await connectPeer(gateway.url, {
    open: (url, protocols) => new WebSocket(url, protocols, { ca: certificate.cert }),
  });
  t.after(() => peer.close());
  assert.equal(await codeOf(peer.call("services/list")), "ok");
});

test("new rules hold for connections that are there already", async (t) => {
  const { url, reload } = await startConfig(t, { identities: [ADA] });
  const ada = await openPeer(t, url, "ada-token");
  await ada.call("tags/list");
  const told = ada.subscribe("services/changes");
  await told.next();
  await reload({ identities: [ADA], deny: ["notes/erase"] });
  assert.deepEqual((await told.next()).value, {
    generation: 1,
    added: [],
    removed: ["notes/erase"],
    changed: [],
  });
  assert.equal(await codeOf(ada.call("notes/erase")), "NOT_FOUND");
  await reload({ identities: [{ ...ADA, tokenHash: hashToken("another") }] });
  assert.match((await ada.closed).message, /token of this connection is no longer known/);
  const rest = (async () => {
    for await (const item of told) assert.ok(item);
  })();
  assert.equal(await codeOf(rest), "UNAVAILABLE", "streams do not outlive the token");
});

test("a stream ends once its caller may do less than when it began, and the connection stays", async (t) => {
  const { url, reload } = await startConfig(t, { identities: [ADA] });
  const ada = await openPeer(t, url, "ada-token");
  const told = ada.subscribe("services/changes");
  await told.next();
  await reload({ identities: [{ ...ADA, scopes: [] }] });
  const rest = (async () => {
    for await (const item of told) assert.ok(item);
  })();
  assert.equal(await codeOf(rest), "FORBIDDEN");
  assert.equal(await codeOf(ada.call("notes/list")), "ok");
});

test("a caller that came in while no token was needed is disconnected once one is, with what it runs", async (t) => {
  const { url, reload } = await startConfig(t);
  const peer = await openPeer(t, url);
  const items = peer.subscribe("services/changes");
  await items.next();
  await reload({ identities: [ADA] });
  assert.match((await peer.closed).message, /asks for a token now/);
  assert.equal(await codeOf(items.next()), "UNAVAILABLE");
});

test("offers of other protocols are no upgrades, and such requests are answered as ever", async (t) => {
  const { url } = await startConfig(t);
  const sent = request(`${url}/healthz`, {
    headers: { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQAAP__" },
  }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.resume();
});

test("an envelope larger than a body may be closes its connection", async (t) => {
  const port = await freePort();
  const server = { maxBodyBytes: 10_000, callProtocol: { tcp: `127.0.0.1:${port}` } };
  const { url } = await startConfig(t, { server });
  const stream = createConnection({ transport: await connectByteStream({ host: "127.0.0.1", port }) });
  for (const connection of [await openPeer(t, url), stream]) {
    assert.equal(await codeOf(connection.call("notes/add", { text: "x".repeat(9_000) })), "ok");
    assert.equal(await codeOf(connection.call("notes/add", { text: "x".repeat(11_000) })), "UNAVAILABLE");
    assert.match((await connection.closed).message, /1009|10000 is the most/);
  }
});

test("where one facet is served alone, nothing else is there on this wire either", async (t) => {
  const { url } = await startConfig(t, { facets: { read: ["*/list"] }, mcp: { only: "read" } });
  const peer = await openPeer(t, url);
  assert.equal(await codeOf(peer.call("notes/list")), "ok");
  assert.equal(await codeOf(peer.call("notes/add", { text: "x" })), "NOT_FOUND");
});

test("limits of a caller count its calls on this wire", async (t) => {
  const { url } = await startConfig(t, { identities: [{ ...ADA, limits: { callsPerSecond: 1 } }] });
  const ada = await openPeer(t, url, "ada-token");
  const codes = await Promise.all(Array.from({ length: 4 }, () => codeOf(ada.call("notes/list"))));
  assert.ok(codes.includes("RATE_LIMITED"), codes.join());
});

test("the config says how many connections a caller may have, and a reload holds at once", async (t) => {
  const identities = [
    { ...ADA, limits: { connections: 2 } },
    { ...ADA, id: "bob", tokenHash: hashToken("bob-token") },
  ];
  const { url, reload } = await startConfig(t, { identities, limits: { connections: 1 } });
  await openPeer(t, url, "ada-token");
  await openPeer(t, url, "ada-token");
  await openPeer(t, url, "bob-token");
  await assert.rejects(connectPeer(url, { token: "ada-token" }), CallError);
  await assert.rejects(connectPeer(url, { token: "bob-token" }), CallError);
  await reload({ identities, limits: { connections: 2 } });
  await openPeer(t, url, "bob-token");
});

test("programs connect by TCP or a Unix socket where the config says so", async (t) => {
  const port = await freePort();
  const callProtocol = { tcp: `127.0.0.1:${port}`, unix: "./node.sock" };
  const { directory, gateway } = await startConfig(t, { server: { callProtocol } });
  for (const address of [{ host: "127.0.0.1", port }, { path: join(directory, "node.sock") }]) {
    const connection = createConnection({ transport: await connectByteStream(address) });
    assert.equal(await codeOf(connection.call("notes/list")), "ok");
    connection.close();
  }
  const last = createConnection({ transport: await connectByteStream({ host: "127.0.0.1", port }) });
  await last.call("notes/list");
  await gateway.close();
  assert.match((await last.closed).message, /stopping/);
  await assert.rejects(connectByteStream({ host: "127.0.0.1", port }), CallError);
});

test("what would let strangers in, or tokens out, is refused with what to do", async (t) => {
  const refused = (config: object, pattern: RegExp) => assert.rejects(startConfig(t, config), pattern);
  await refused(
    { server: { callProtocol: { tcp: "0.0.0.0:7465" } } },
    /without identities any of them could call/,
  );
  await refused({ server: { callProtocol: { tcp: "7465" } } }, /Write host:port/);
  await refused({ server: { callProtocol: { tcp: "127.0.0.1:70000" } } }, /up to 65535/);
  await refused({ sources: { west: { peer: "ws://west.example.com/call-protocol" } } }, /unencrypted/);
  await refused({ sources: { west: { peer: "https://west.example.com" } } }, /wss:/);
  await refused(
    { sources: { west: { peer: "wss://a.example", mcp: "https://b.example" } } },
    /exactly one of/,
  );
  const { directory, gateway } = await startConfig(t, { server: { callProtocol: { unix: "./one.sock" } } });
  await refused({ server: { callProtocol: { unix: join(directory, "one.sock") } } }, /cannot listen on/);
  await gateway.close();
});

test("a gateway that stops ends its connections and does not wait for streams", async (t) => {
  const { url, gateway } = await startConfig(t);
  const peer = await openPeer(t, url);
  const items = peer.subscribe("services/changes");
  await items.next();
  const stopped = gateway.close();
  assert.equal((await peer.closed).code, "leaving");
  assert.equal(await codeOf(items.next()), "UNAVAILABLE");
  await stopped;
});
