import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { begin, failsWith, serve, serveBytes } from "../../test/support/outbound-service.ts";
import { OutboundError } from "./outbound-error.ts";

test("a reader that leaves closes the connection", async (t) => {
  const { outbound, server, url } = await serve(t, (_, response) =>
    begin(response, "text/event-stream", "data: a\n\n"),
  );
  const requested = once(server, "request");
  const response = await outbound.fetch(url);
  const [, serverSide] = await requested;
  const closed = once(serverSide, "close");
  await response.body?.cancel();
  await closed;
});

test("a service that dies before or during its response is reported as broken at once", async (t) => {
  const { outbound, url } = await serve(t, (request, response) => {
    if (request.url === "/json") begin(response, "application/json", "[");
    if (request.url === "/text") begin(response, "text/plain", "a");
    setImmediate(() => request.socket.destroy());
  });
  await assert.rejects(outbound.fetch(`${url}/none`), failsWith("broken"));
  await assert.rejects(outbound.fetch(`${url}/json`), failsWith("broken"));
  const response = await outbound.fetch(`${url}/text`);
  await assert.rejects(response.text(), failsWith("broken"));
});

test("a response that is not HTTP, or shorter than declared, is broken", async (t) => {
  const answers = ["secret nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort"];
  const { outbound, url } = await serveBytes(t, (socket) =>
    socket.once("data", () => socket.end(answers.shift() ?? "")),
  );
  await assert.rejects(outbound.fetch(url), failsWith("broken"));
  await assert.rejects(outbound.fetch(url), failsWith("broken"));
});

test("a response over the limit is cut off, declared or not, whole or streamed; event streams have no limit", async (t) => {
  const { outbound, url } = await serve(
    t,
    (request, response) => {
      const [, type = "", length] = (request.url ?? "").split(",");
      response.setHeader("content-type", type);
      if (length) response.setHeader("content-length", length);
      response.write("x".repeat(600));
      response.end("x".repeat(600));
    },
    { maxResponseBytes: 1000 },
  );
  await assert.rejects(outbound.fetch(`${url}/,application/json,1200`), failsWith("too-large"));
  await assert.rejects(outbound.fetch(`${url}/,application/json`), failsWith("too-large"));
  await assert.rejects(outbound.fetch(`${url}/,text/plain,1200`), failsWith("too-large"));
  const streamed = await outbound.fetch(`${url}/,text/plain`);
  await assert.rejects(streamed.text(), failsWith("too-large"));
  const events = await outbound.fetch(`${url}/,text/event-stream`);
  assert.equal((await events.text()).length, 1200);
});

test("response headers over the limit are refused as too large", async (t) => {
  const { outbound, url } = await serveBytes(t, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n${"x: secret\r\n".repeat(5000)}\r\n`),
  );
  await assert.rejects(outbound.fetch(url), failsWith("too-large"));
});

test("a slow reader makes the service wait, and does not count as silence of the service", async (t) => {
  const size = 64 * 1024 * 1024;
  let written = 0;
  const { outbound, url } = await serve(
    t,
    (_, response) => {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (written < size) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once("drain", more);
            return;
          }
        }
        response.end();
      };
      more();
    },
    { maxResponseBytes: size, bodyTimeoutMs: 1_500 },
  );
  const response = await outbound.fetch(url);
  await new Promise((resolve) => setTimeout(resolve, 1_700));
  assert.ok(written < size / 2, `${written} bytes were taken`);
  let received = 0;
  for await (const chunk of response.body ?? []) received += chunk.length;
  assert.equal(received, size);
});

test("server-sent events arrive one by one, as they happen", async (t) => {
  let next = (_: string): void => {};
  const { outbound, url } = await serve(t, (_, response) => {
    begin(response, "text/event-stream", "data: 1\n\n");
    next = (text) => void response.write(text);
  });
  const reader = (await outbound.fetch(url)).body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader?.read())?.value, "data: 1\n\n");
  next("data: 2\n\n");
  assert.equal((await reader?.read())?.value, "data: 2\n\n");
  await reader?.cancel();
});

test("a failed upload, or the upload of a failed request, is released", async (t) => {
  const { outbound, server, url } = await serve(t, () => {});
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("secret")) });
  await assert.rejects(outbound.fetch(url, { method: "POST", body: broken }), OutboundError);
  const left = new Promise<void>((resolve) => {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new Uint8Array(1)),
      cancel: () => resolve(),
    });
    const aborting = new AbortController();
    server.once("request", () => aborting.abort());
    const answer = outbound.fetch(url, { method: "POST", body, signal: aborting.signal });
    answer.catch(failsWith("aborted"));
  });
  await left;
});

test("an abort ends a request at any time: before it begins, while it waits, and in the middle of the response", async (t) => {
  const { outbound, server, url } = await serve(t, (request, response) => {
    if (request.url === "/json") begin(response, "application/json", "[");
    if (request.url === "/text") begin(response, "text/plain", "a");
  });
  await assert.rejects(outbound.fetch(url, { signal: AbortSignal.abort() }), failsWith("aborted", false));
  for (const path of ["/silent", "/json"]) {
    const aborting = new AbortController();
    const requested = once(server, "request");
    const answer = outbound.fetch(`${url}${path}`, { signal: aborting.signal });
    const [, response] = await requested;
    const closed = once(response, "close");
    aborting.abort();
    await assert.rejects(answer, failsWith("aborted"));
    await closed;
  }
  const aborting = new AbortController();
  const requested = once(server, "request");
  const answer = await outbound.fetch(`${url}/text`, { signal: aborting.signal });
  const [, response] = await requested;
  const closed = once(response, "close");
  const text = answer.text();
  aborting.abort();
  await assert.rejects(text, failsWith("aborted"));
  await closed;
  assert.deepEqual(outbound.stats(), { sockets: 0 });
});

test("an abort does not wait for a free connection; nothing is sent, and the connection stays open", async (t) => {
  const answers: (() => void)[] = [];
  const { outbound, server, url } = await serve(
    t,
    (_, response) => void answers.push(() => response.end("ok")),
    {
      connections: 1,
    },
  );
  let connections = 0;
  server.on("connection", () => connections++);
  const requested = once(server, "request");
  const held = outbound.fetch(url);
  await requested;
  const aborting = new AbortController();
  const waiting = outbound.fetch(url, { signal: aborting.signal });
  setImmediate(() => aborting.abort());
  await assert.rejects(waiting, failsWith("aborted", false));
  const late = outbound.send({ method: "POST", url, deadline: performance.now() + 20, repeatable: false });
  await assert.rejects(late, failsWith("timeout", false));
  const requestedAgain = once(server, "request");
  const next = outbound.fetch(url);
  answers[0]?.();
  assert.equal(await (await held).text(), "ok");
  await requestedAgain;
  answers[1]?.();
  assert.equal(await (await next).text(), "ok");
  assert.deepEqual([answers.length, connections], [2, 1]);
});

test("a signal that aborts with a TimeoutError makes a timeout", async (t) => {
  const aborting = new AbortController();
  const { outbound, url } = await serve(t, () => aborting.abort(new DOMException("Late.", "TimeoutError")));
  await assert.rejects(outbound.fetch(url, { signal: aborting.signal }), failsWith("timeout"));
});

test("a deadline ends a request in the middle of its response, and a past deadline ends it before it begins", async (t) => {
  const { outbound, url } = await serve(t, (_, response) =>
    begin(response, "text/event-stream", "data: a\n\n"),
  );
  const request = { method: "GET", url, repeatable: false };
  const { body } = await outbound.send({ ...request, deadline: performance.now() + 1_500 });
  await assert.rejects(body.text(), failsWith("timeout"));
  await assert.rejects(
    outbound.send({ ...request, deadline: performance.now() - 1 }),
    failsWith("timeout", false),
  );
});

test("headers that come one byte at a time, or not at all, end in a timeout", async (t) => {
  const timers: NodeJS.Timeout[] = [];
  t.after(() => timers.forEach(clearInterval));
  let drip = true;
  const { outbound, url } = await serveBytes(
    t,
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
      if (drip) timers.push(setInterval(() => socket.write("x"), 10));
    },
    { headersTimeoutMs: 100 },
  );
  await assert.rejects(outbound.fetch(url), failsWith("timeout"));
  drip = false;
  await assert.rejects(outbound.fetch(url), failsWith("timeout"));
});

test("silence in the middle of a response is a timeout, but not in an event stream", async (t) => {
  const { outbound, url } = await serve(
    t,
    (request, response) => {
      begin(response, request.url?.slice(1) ?? "", "a");
      if (request.url?.endsWith("event-stream")) setTimeout(() => response.end("b"), 120);
    },
    { bodyTimeoutMs: 40 },
  );
  await assert.rejects(outbound.fetch(`${url}/application/json`), failsWith("timeout"));
  const text = await outbound.fetch(`${url}/text/plain`);
  await assert.rejects(text.text(), failsWith("timeout"));
  const events = await outbound.fetch(`${url}/text/event-stream`);
  assert.equal(await events.text(), "ab");
});

test("a finished request removes its listener from the signal", async (t) => {
  const { outbound, url } = await serve(t, (_, response) => {
    response.setHeader("content-type", "text/plain");
    response.write("a");
    response.end("b");
  });
  const { signal } = new AbortController();
  let listeners = 0;
  t.mock.method(signal, "addEventListener", () => listeners++);
  t.mock.method(signal, "removeEventListener", () => listeners--);
  for (let i = 0; i < 5; i++) await (await outbound.fetch(url, { signal })).text();
  assert.equal(listeners, 0);
});
