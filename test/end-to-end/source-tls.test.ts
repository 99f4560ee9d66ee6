import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fromCall, fromMcp, fromOpenApi, type ImportedSource } from "pinhole/adapters";
import { createRuntime, defineOperation, definePlugin } from "pinhole/core";
import { toCall, toHttp, toMcp, toNodeHandler } from "pinhole/projections";
import { makeCertificate, type TestCertificate } from "../support/certificate.ts";

const hello = defineOperation({
  name: "demo/hello",
  type: "query",
  description: "Greets.",
  handler: () => "hello",
});

/** A node that talks only to clients with the given certificate. */
async function serve(t: TestContext, own: TestCertificate, client: TestCertificate) {
  const runtime = createRuntime({ sources: [definePlugin({ name: "demo", operations: [hello] })] });
  const mcp = toNodeHandler(toMcp(runtime));
  const http = toNodeHandler(toHttp(runtime));
  const calls = toCall(runtime);
  const demands = { ca: client.cert, requestCert: true, rejectUnauthorized: true };
  const server = createServer({ ...own, ...demands }, (request, response) =>
    request.url === "/mcp" ? mcp(request, response) : http(request, response),
  ).on("upgrade", calls.upgrade);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    await calls.close(0);
    server.closeAllConnections();
    server.close();
  });
  const renew = (next: TestCertificate, nextClient: TestCertificate) => {
    server.setSecureContext({ ...next, ca: nextClient.cert });
    server.closeAllConnections();
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, renew };
}

async function files(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-tls-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  return { directory, write };
}

const TLS = {
  ca: { file: "./ca.pem" },
  certificate: { file: "./cert.pem" },
  key: { file: "./key.pem" },
} as const;

/** One source of each kind. */
function startAll(t: TestContext, host: string, common: object): Promise<readonly ImportedSource[]> {
  const options = { external: "*", allowPrivate: true, ...common };
  const started = Promise.all([
    fromMcp({ ...options, name: "mcp", url: `https://${host}/mcp` }),
    fromOpenApi({ ...options, name: "http", document: `https://${host}/openapi.json` }),
    fromCall({ ...options, name: "peer", url: `wss://${host}/call-protocol` }),
  ]);
  t.after(async () => Promise.all((await started).map((source) => source.close())));
  return started;
}

const states = (sources: readonly ImportedSource[]) => sources.map((source) => source.health().state);

test("sources of every kind trust their own CA and prove themselves by a certificate, and follow both files", async (t) => {
  const [own, client] = [makeCertificate(), makeCertificate("client")];
  const { host, renew } = await serve(t, own, client);
  const { directory, write } = await files(t);
  await write("ca.pem", own.cert);
  await write("cert.pem", client.cert);
  await write("key.pem", client.key);
  const sources = await startAll(t, host, { directory, tls: TLS });
  assert.deepEqual(
    states(sources),
    ["healthy", "healthy", "healthy"],
    JSON.stringify(sources.map((s) => s.health())),
  );
  const { registry, dispatch } = createRuntime();
  for (const source of sources) source.attach(registry);
  assert.equal(await dispatch.invoke({ operation: "peer/demo/hello" }), "hello");
  const call = { operation: "demo/hello" };
  assert.match(JSON.stringify(await dispatch.invoke({ operation: "mcp/call", input: call })), /hello/);
  const body = { operation: "http/call", input: { body: call } };
  assert.match(JSON.stringify(await dispatch.invoke(body)), /hello/);

  const [nextOwn, nextClient] = [makeCertificate(), makeCertificate("client")];
  renew(nextOwn, nextClient);
  await write("key.pem", nextClient.key);
  await write("cert.pem", nextClient.cert);
  await write("ca.pem", nextOwn.cert);
  const isRenewed = async () => {
    const calls = [{ operation: "peer/demo/hello" }, { operation: "mcp/call", input: call }, body];
    const ended = await Promise.allSettled(calls.map((each) => dispatch.invoke(each)));
    return ended.every(({ status }) => status === "fulfilled");
  };
  while (!(await isRenewed())) await sleep(50);
});

test("without its CA or its certificate a source is unhealthy, and the key is in no message", async (t) => {
  const [own, client] = [makeCertificate(), makeCertificate("client")];
  const { host } = await serve(t, own, client);
  const { directory, write } = await files(t);
  await write("ca.pem", own.cert);
  await write("cert.pem", own.cert);
  await write("key.pem", client.key);
  for (const tls of [undefined, { ca: TLS.ca }, TLS]) {
    const sources = await startAll(t, host, { directory, ...(tls && { tls }) });
    assert.deepEqual(states(sources), ["unhealthy", "unhealthy", "unhealthy"], JSON.stringify(tls));
    const said = JSON.stringify(sources.map((source) => source.health()));
    assert.ok(!said.includes(client.key.slice(40, 80)));
    if (tls === TLS) assert.match(said, /the key does not belong to the certificate/);
  }
});

test("certificates that could have no effect are refused", async () => {
  const at = (url: string, tls: object) => fromMcp({ name: "up", url, allowPrivate: true, tls });
  await assert.rejects(at("http://127.0.0.1:9/mcp", { ca: TLS.ca }), /sources\.up\.tls.*no effect/);
  await assert.rejects(
    at("https://127.0.0.1:9/mcp", { key: TLS.key }),
    /certificate and key belong together/,
  );
  await assert.rejects(at("https://127.0.0.1:9/mcp", {}), /sources\.up\.tls/);
});
