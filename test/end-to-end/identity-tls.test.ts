import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { type ClientHttp2Session, connect } from "node:http2";
import { request } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { Agent, fetch } from "undici";
import { makeCertificate, type TestCertificate } from "../support/certificate.ts";
import { deferred } from "../support/deferred.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";

const TLS = { cert: "cert.pem", key: { file: "key.pem" } };

async function start(t: TestContext, { watch = false, server = {} } = {}) {
  const certificate = makeCertificate();
  const files = { "cert.pem": certificate.cert, "key.pem": certificate.key };
  const started = await startIdentityGateway(t, { server: { tls: TLS, ...server } }, { watch, files });
  return { ...started, certificate };
}

/** What the handler of the next call that waits sees of its caller. */
function nextWaiting(): Promise<AbortSignal> {
  return new Promise((resolve) => {
    Object.assign(globalThis, { pinholeTestWaiting: resolve });
  });
}

function openHttp2(t: TestContext, url: string, { cert }: TestCertificate): ClientHttp2Session {
  const session = connect(url, { ca: cert });
  t.after(() => session.destroy());
  return session;
}

function post(session: ClientHttp2Session, path: string, body: object) {
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
  stream.end(JSON.stringify(body));
  return stream;
}

test("one port speaks HTTP/2 and HTTP/1.1, as the client likes", async (t) => {
  const { gateway, certificate } = await start(t);
  assert.match(gateway.url, /^https:/);
  for (const [allowH2, version] of [
    [true, "h2"],
    [false, "http/1.1"],
  ] as const) {
    const dispatcher = new Agent({ allowH2, connect: { ca: certificate.cert } });
    t.after(() => dispatcher.close());
    const response = await fetch(`${gateway.url}/search?query=read`, { dispatcher });
    assert.equal(response.status, 200, version);
    assert.equal(response.headers.get("keep-alive"), allowH2 ? null : "timeout=75");
    const call = await fetch(`${gateway.url}/mcp`, {
      dispatcher,
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    assert.match(await call.text(), /"name":"search"/, version);
  }
  assert.equal(await negotiated(gateway.url, ["h2", "http/1.1"]), "h2");
  assert.equal(await negotiated(gateway.url, ["http/1.1"]), "http/1.1");
});

test("over HTTP/2 a stream comes item by item, and going away ends it and leaves the others", async (t) => {
  const { gateway, certificate } = await start(t);
  const session = openHttp2(t, gateway.url, certificate);
  const waiting = nextWaiting();
  const stream = post(session, "/subscribe", { operation: "vault/count" });
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.includes("data: 3")) break;
  }
  assert.match(text, /data: 1\n\ndata: 2\n\ndata: 3\n\n/);
  await aborted(await waiting);

  const calling = nextWaiting();
  const call = post(session, "/call", { operation: "vault/wait" });
  const signal = await calling;
  assert.equal(signal.aborted, false);
  call.close();
  await aborted(signal);
  assert.equal(await statusOf(post(session, "/search", {})), 200, "the connection is as good as before");
});

test("over HTTP/2 the name of the server is checked as over HTTP/1.1", async (t) => {
  const { gateway, certificate } = await start(t);
  const session = openHttp2(t, gateway.url, certificate);
  const asked = (authority: string) => {
    const stream = session.request({ ":method": "GET", ":path": "/search", ":authority": authority });
    stream.end();
    return statusOf(stream);
  };
  assert.equal(await asked("localhost:1234"), 200);
  assert.equal(await asked("evil.example"), 403);
});

test("a renewed certificate is taken when its files change, without losing a connection", async (t) => {
  const { gateway, certificate, directory, logged } = await start(t, { watch: true });
  const session = openHttp2(t, gateway.url, certificate);
  assert.equal(await statusOf(post(session, "/search", {})), 200);
  const renewed = makeCertificate("renewed");
  await writeFile(join(directory, "key.pem"), renewed.key);
  await writeFile(join(directory, "cert.pem"), renewed.cert);
  const deadline = Date.now() + 10_000;
  while ((await subjectOf(gateway.url)) !== "renewed") assert.ok(Date.now() < deadline, logged());
  assert.equal(await statusOf(post(session, "/search", {})), 200);
});

test("a reload takes a renewed certificate, and refuses one that does not fit while the old one stays", async (t) => {
  const { gateway, directory } = await start(t);
  const renewed = makeCertificate("renewed");
  await writeFile(join(directory, "cert.pem"), renewed.cert);
  await assert.rejects(gateway.reload(), /the key does not belong to cert\.pem/);
  assert.equal(await subjectOf(gateway.url), "localhost");
  await writeFile(join(directory, "key.pem"), renewed.key);
  await gateway.reload();
  assert.equal(await subjectOf(gateway.url), "renewed");
});

test("a certificate that is missing or broken is said at the start, without its key", async (t) => {
  const { cert, key } = makeCertificate();
  const other = makeCertificate().key;
  const starting = (files: Record<string, string>) =>
    startIdentityGateway(t, { server: { tls: TLS } }, { files });
  await assert.rejects(
    starting({ "key.pem": key }),
    /The certificate cert\.pem is missing: there is no file/,
  );
  await assert.rejects(starting({ "cert.pem": cert }), /The secret \{ file: key\.pem \} is missing/);
  await assert.rejects(starting({ "cert.pem": cert, "key.pem": other }), /does not belong to cert\.pem/);
  for (const files of [
    { "cert.pem": "junk", "key.pem": key },
    { "cert.pem": cert, "key.pem": "very-secret-junk" },
  ]) {
    await assert.rejects(starting(files), (error: Error) => {
      assert.match(error.message, /not valid PEM/);
      return !error.message.includes("very-secret");
    });
  }
});

test("closing tells HTTP/2 clients, lets what runs finish, and ends", async (t) => {
  const { gateway, certificate } = await start(t);
  const session = openHttp2(t, gateway.url, certificate);
  const goaway = new Promise((resolve) => session.once("goaway", resolve));
  const waiting = nextWaiting();
  const gate = deferred<void>();
  Object.assign(globalThis, { pinholeTestGate: gate.promise });
  const running = post(session, "/call", { operation: "vault/gate" });
  await waiting;
  const closing = gateway.close();
  await goaway;
  await assert.rejects(subjectOf(gateway.url), /ECONNREFUSED/);
  gate.resolve(undefined);
  let text = "";
  for await (const chunk of running) text += chunk;
  assert.match(text, /"output":"through"/);
  await closing;
});

function statusOf(stream: ReturnType<typeof post>): Promise<number> {
  return new Promise((resolve, reject) => {
    stream.once("response", (headers) => {
      stream.resume();
      resolve(Number(headers[":status"]));
    });
    stream.once("error", reject);
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function negotiated(url: string, offered: string[]): Promise<string | false | null> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const options = { host: hostname, port: Number(port), ALPNProtocols: offered, rejectUnauthorized: false };
    const socket = connectTls(options, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

function subjectOf(url: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/healthz`, { rejectUnauthorized: false, agent: false }, (response) => {
      const { subject } = (
        response.socket as unknown as { getPeerCertificate(): { subject: { CN?: string } } }
      ).getPeerCertificate();
      response.resume();
      resolve(subject.CN);
    });
    asking.once("error", reject);
    asking.end();
  });
}
