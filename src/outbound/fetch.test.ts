import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { FetchLike } from "@modelcontextprotocol/client";
import { createOutbound, type OutboundOptions } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";

async function serve(t: TestContext, listener: RequestListener, options: OutboundOptions = {}) {
  const server = createServer(listener);
  let connections = 0;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound({ allowPrivate: true, ...options });
  t.after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { outbound, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** Echoes the request. */
const echo: RequestListener = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, url, headers } = request;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
};

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

test("outbound.fetch works for libraries that take a fetch", async (t) => {
  const { outbound, url } = await serve(t, echo);
  const like: FetchLike = outbound.fetch;
  const same: (url: string, init?: RequestInit) => Promise<Response> = outbound.fetch;
  assert.equal((await like(new URL(url), { method: "PUT" })).status, 200);
  assert.ok((await same(url)) instanceof Response);
});

test("a request of fetch arrives as it was written", async (t) => {
  const { outbound, url } = await serve(t, echo);
  const headers = new Headers({ authorization: "Bearer x", "content-type": "application/json" });
  const response = await outbound.fetch(`${url}/a%20b?c=d#e`, { method: "post", headers, body: '{"f":"ü"}' });
  const seen = (await response.json()) as Echo;
  assert.equal(seen.method, "POST");
  assert.equal(seen.url, "/a%20b?c=d");
  assert.equal(seen.body, '{"f":"ü"}');
  assert.equal(seen.headers.authorization, "Bearer x");
  assert.equal(seen.headers["content-type"], "application/json");
  assert.equal(seen.headers["content-length"], "10");
});

test("fetch sends bodies of every type", async (t) => {
  const { outbound, url } = await serve(t, echo);
  const sent = async (body: Parameters<typeof outbound.fetch>[1] & object) =>
    (await (await outbound.fetch(url, { method: "POST", ...body })).json()) as Echo;
  assert.equal((await sent({ body: new TextEncoder().encode("bytes") })).body, "bytes");
  assert.equal((await sent({ body: new URLSearchParams({ a: "b c" }) })).body, "a=b+c");
  assert.equal((await sent({ body: new Blob(["blob"]).stream() })).body, "blob");
  assert.equal((await sent({ body: "" })).headers["content-length"], "0");
  const form = new FormData();
  form.append("name", "value");
  form.append("file", new Blob(["content"]), "file.txt");
  const seen = await sent({ body: form });
  assert.match(seen.headers["content-type"] ?? "", /^multipart\/form-data; boundary=/);
  assert.match(seen.body, /name="file"; filename="file\.txt"[\s\S]*content/);
});

test("fetch keeps status, headers and emptiness of a response", async (t) => {
  const { outbound, url } = await serve(t, (request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { "set-cookie": ["a=1", "b=2"], "x-latin": "caf\u00e9" });
    response.end(status === 202 ? undefined : "text");
  });
  for (const status of [200, 201, 202, 204, 205, 304, 404, 500]) {
    const response = await outbound.fetch(`${url}/${status}`);
    assert.equal(response.status, status);
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assert.equal(response.headers.get("x-latin"), "caf\u00e9");
    assert.equal(await response.text(), [202, 204, 205, 304].includes(status) ? "" : "text");
  }
  const head = await outbound.fetch(`${url}/200`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
});

test("a status outside of HTTP's range is a broken response", async (t) => {
  const { outbound, url } = await serve(t, (_, response) => {
    response.writeHead(999).end();
  });
  await assert.rejects(
    outbound.fetch(url),
    (error) => error instanceof OutboundError && error.kind === "broken",
  );
});

test("redirects are followed within the origin, with its secrets", async (t) => {
  const { outbound, url } = await serve(t, (request, response) => {
    if (request.url === "/from") response.writeHead(307, { location: "/to?x=1" }).end("moved");
    else echo(request, response);
  });
  const response = await outbound.fetch(`${url}/from`, {
    method: "POST",
    headers: { authorization: "Bearer x" },
    body: "body",
  });
  const seen = (await response.json()) as Echo;
  assert.deepEqual([seen.method, seen.url, seen.body], ["POST", "/to?x=1", "body"]);
  assert.equal(seen.headers.authorization, "Bearer x");
});

test("a redirect to another origin sends nothing there", async (t) => {
  const other = await serve(t, () => assert.fail("it was called"));
  const { outbound, url } = await serve(t, (_, response) => {
    response.writeHead(302, { location: `${other.url}/path?token=secret` }).end();
  });
  await assert.rejects(outbound.fetch(url, { headers: { cookie: "a=secret" } }), (error) => {
    assert.ok(error instanceof OutboundError && error.kind === "redirect-forbidden");
    assert.ok(error.message.includes(other.url));
    assert.doesNotMatch(error.message, /path|secret/);
    return true;
  });
  assert.equal(other.connections(), 0);
});

test("redirects are limited, and a caller can ask to see them or to refuse them", async (t) => {
  let requests = 0;
  const { outbound, url } = await serve(t, (_, response) => {
    requests++;
    response.writeHead(302, { location: "/again" }).end();
  });
  const refused = (error: unknown) => error instanceof OutboundError && error.kind === "redirect-forbidden";
  await assert.rejects(outbound.fetch(url), refused);
  assert.equal(requests, 4);
  await assert.rejects(outbound.fetch(url, { redirect: "error" }), refused);
  const seen = await outbound.fetch(url, { redirect: "manual" });
  assert.equal(seen.status, 302);
  assert.equal(seen.headers.get("location"), "/again");
});

test("fetch decodes a compressed response", async (t) => {
  const { outbound, url } = await serve(t, (request, response) => {
    assert.equal(request.headers["accept-encoding"], undefined);
    response.setHeader("content-type", "application/json");
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync('{"a":1}'));
  });
  assert.deepEqual(await (await outbound.fetch(url)).json(), { a: 1 });
});

test("a thousand requests in a row share one connection; fifty at once share the allowed number", async (t) => {
  const { outbound, url, connections } = await serve(t, echo, { connections: 8 });
  for (let i = 0; i < 1000; i++) await (await outbound.fetch(url, { method: "POST", body: "x" })).json();
  assert.ok(connections() <= 3, `${connections()} connections`);
  await Promise.all(Array.from({ length: 50 }, async () => (await outbound.fetch(url)).json()));
  assert.ok(connections() <= 12, `${connections()} connections`);
  assert.ok(outbound.stats().sockets <= 8);
});

test("short responses that are not read do not hold a connection", async (t) => {
  const { outbound, url, connections } = await serve(t, (_, response) => {
    response.end("short");
  });
  for (let i = 0; i < 50; i++) await outbound.fetch(url);
  assert.ok(connections() <= 3);
});
