import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { begin, failsWith, serve, serveBytes } from "../../test/support/outbound-service.ts";

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
  const { outbound, url } = await serve(t, () => {});
  await assert.rejects(outbound.fetch(url, { signal: AbortSignal.timeout(20) }), failsWith("timeout"));
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
