import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { begin, failsWith, serve } from "../../test/support/outbound-service.ts";
import { createOutbound } from "./outbound.ts";

test("a request to a closed port is refused", async (t) => {
  const { outbound, server, url } = await serve(t, () => {});
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(outbound.fetch(`${url}/?secret`), failsWith("refused", false));
});

test("an https request to a service without TLS is refused", async (t) => {
  const { outbound, url } = await serve(t, () => {});
  await assert.rejects(outbound.fetch(url.replace("http:", "https:")), failsWith("refused", false));
});

test("closing a client ends running requests, refuses new ones and leaves no socket", async (t) => {
  const { outbound, server, url } = await serve(t, (request, response) => {
    if (request.url === "/events") begin(response, "text/event-stream", "data: 1\n\n");
  });
  const events = await outbound.fetch(`${url}/events`);
  const text = assert.rejects(events.text(), failsWith("broken"));
  const requested = once(server, "request");
  const running = assert.rejects(outbound.fetch(url), failsWith("broken"));
  await requested;
  assert.deepEqual(outbound.stats(), { sockets: 2 });
  await outbound.close();
  await text;
  await running;
  await outbound.close();
  assert.deepEqual(outbound.stats(), { sockets: 0 });
  await assert.rejects(outbound.fetch(url), failsWith("refused", false));
  await assert.rejects(
    outbound.send({ method: "GET", url, repeatable: true, deadline: performance.now() + 100 }),
    failsWith("refused", false),
  );
});

test("a connection that is not made in time was not used, and closing abandons it", async (t) => {
  const lookup = () => {};
  const { outbound } = await serve(t, () => {}, { lookup, connectTimeoutMs: 20 });
  await assert.rejects(outbound.fetch("http://slow.example/"), failsWith("timeout", false));
  const patient = createOutbound({ lookup, allowPrivate: true });
  const waiting = assert.rejects(patient.fetch("http://slow.example/"), failsWith("refused", false));
  await new Promise(setImmediate);
  assert.deepEqual(patient.stats(), { sockets: 1 });
  await patient.close();
  await waiting;
  await new Promise(setImmediate);
  assert.deepEqual(patient.stats(), { sockets: 0 });
});

test("send waits and retries until its caller goes away", async (t) => {
  const statuses = [503, 200, 503];
  const aborting = new AbortController();
  const { outbound, url } = await serve(
    t,
    (_, response) => void response.writeHead(statuses.shift() ?? 500).end(),
    {
      // Read just before the wait.
      random: () => {
        if (statuses.length === 0) setImmediate(() => aborting.abort());
        return 0;
      },
    },
  );
  const request = { method: "GET", url, repeatable: true };
  assert.equal((await outbound.send(request)).status, 200);
  const waiting = outbound.send({ ...request, signal: aborting.signal });
  await assert.rejects(waiting, failsWith("aborted", false));
});
