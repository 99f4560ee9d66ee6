import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { makeCertificate } from "../../../test/support/certificate.ts";
import { sendRaw, writeRequest } from "../../../test/support/raw-http.ts";
import { isFull } from "../../../test/support/scale.ts";
import { isPlainPath } from "./guard.ts";
import { CHECK_EVERY_MS, REQUEST_TIMEOUT_MS } from "./node-servers.ts";
import { listen } from "./server.ts";

const LOCAL = { host: "127.0.0.1", port: 0 };

test("a path that can be read in two ways is 404 and reaches nothing", async (t) => {
  const reached: string[] = [];
  const fetch = ({ url }: Request) => {
    reached.push(new URL(url).pathname);
    return new Response("here");
  };
  const server = await listen({ ...LOCAL, fetch });
  t.after(() => server.close(0));
  const statusOf = async (target: string) => {
    const headers = [
      ["host", "localhost"],
      ["connection", "close"],
    ] as const;
    const bytes = writeRequest({ method: "GET", target, headers });
    return (await sendRaw(new URL(server.url), bytes, { timeoutMs: 30_000 })).status;
  };
  for (const target of [
    "/mcp/../metrics",
    "/mcp/%2e%2e/metrics",
    "/mcp/.%2E/metrics",
    "/./metrics",
    "//metrics",
    "/mcp//metrics",
    "/mcp/..\\metrics",
    "/\\metrics",
    "/mcp/..%2fmetrics",
    "/mcp/..;/metrics",
    "/%6detrics",
    "/metrics/.",
    "http://localhost/mcp/../metrics",
  ])
    assert.equal(await statusOf(target), 404, target);
  assert.deepEqual(reached, []);
  for (const target of ["/metrics?a=/../b", "/mcp/my-facet", "/.well-known/x/mcp", "http://localhost/mcp"])
    assert.equal(await statusOf(target), 200, target);
  assert.deepEqual(reached, ["/metrics", "/mcp/my-facet", "/.well-known/x/mcp", "/mcp"]);
});

test("an empty path and the root are plain paths, a bare star is not", () => {
  assert.deepEqual(["/", "", "http://localhost", "*"].map(isPlainPath), [true, true, true, false]);
});

test("a stop does not wait for connections that have not sent anything", { timeout: 30_000 }, async () => {
  for (const certificate of [undefined, makeCertificate()]) {
    const server = await listen({ ...LOCAL, fetch: () => new Response("here"), certificate });
    const port = Number(new URL(server.url).port);
    const socket = certificate
      ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
      : connect(port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    await once(socket, certificate ? "secureConnect" : "connect");
    await server.close(60_000);
  }
});

test("a request that is sent too slowly ends within a minute", async (t) => {
  assert.ok(REQUEST_TIMEOUT_MS + CHECK_EVERY_MS <= 60_000);
  if (!isFull()) return;
  const fetch = async (request: Request) => new Response(await request.text());
  const head = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n";
  await Promise.all(
    [undefined, makeCertificate()].map(async (certificate) => {
      const server = await listen({ ...LOCAL, fetch, certificate });
      t.after(() => server.close(0));
      const port = Number(new URL(server.url).port);
      const socket = certificate
        ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
        : connect(port, "127.0.0.1");
      socket.on("error", () => {}).resume();
      const begun = performance.now();
      socket.write(head);
      const drip = setInterval(() => socket.write("x"), 1_000);
      await once(socket, "close");
      clearInterval(drip);
      const seconds = Math.round((performance.now() - begun) / 1_000);
      t.diagnostic(`${certificate ? "TLS" : "plain"}: ended after ${seconds} s`);
      assert.ok(seconds >= 50 && seconds <= 63, `${seconds} s`);
    }),
  );
});
