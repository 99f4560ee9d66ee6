import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { CallError, defineOperation, definePlugin, type OperationContext } from "pinhole/core";
import { awakeTime } from "../support/awake-time.ts";
import { deferred } from "../support/deferred.ts";
import { eventsOf, postJson, type WireEvent } from "../support/http-wire.ts";
import { serveRuntime } from "../support/serve.ts";

const EVENTS = 10_000;
const LARGE = "x".repeat(256 * 1024);
/** What sockets on both sides may hold between a handler and a reader that takes nothing, generously. */
const SOCKETS_HOLD = 24 * 1024 * 1024;

/** What the handlers saw. */
interface Seen {
  made: number;
  started: ReturnType<typeof deferred<OperationContext>>;
  ended: ReturnType<typeof deferred<number>>;
}

function streams(seen: Seen) {
  const shared = { type: "subscription", description: "Streams." } as const;
  const counts = defineOperation({
    ...shared,
    name: "stream/count",
    inputSchema: {
      type: "object",
      properties: { to: { type: "integer" }, failAt: { type: "integer" } },
      required: ["to"],
    },
    errors: [{ code: "STUMBLED", description: "It fell.", httpStatus: 409 }],
    async *handler({ to, failAt }) {
      for (let each = 0; each < to; each++) {
        if (each === failAt) throw new CallError("STUMBLED", "It fell over.", { details: { each } });
        yield { each };
      }
    },
  });
  const large = defineOperation({
    ...shared,
    name: "stream/large",
    async *handler(_input, context) {
      seen.started.resolve(context);
      try {
        while (true) {
          seen.made++;
          yield LARGE;
        }
      } finally {
        seen.ended.resolve(awakeTime());
      }
    },
  });
  const silent = defineOperation({
    ...shared,
    name: "stream/silent",
    async *handler(_input, context) {
      seen.started.resolve(context);
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve, { once: true }));
      seen.ended.resolve(awakeTime());
    },
  });
  return definePlugin({ name: "stream", operations: [counts, large, silent] });
}

describe("a subscription over plain HTTP", () => {
  const seen: Seen = { made: 0, started: deferred(), ended: deferred() };
  let server: Awaited<ReturnType<typeof serveRuntime>>;

  before(async () => {
    server = await serveRuntime({ sources: [streams(seen)], keepAliveMs: 20 });
  });
  after(() => server.close(0));

  function subscribe(operation: string, input: object = {}, signal?: AbortSignal): Promise<Response> {
    return postJson(`${server.url}/subscribe`, { operation, input }, signal ? { signal } : {});
  }

  function forget(): void {
    Object.assign(seen, { made: 0, started: deferred(), ended: deferred() });
  }

  test("a subscription over plain HTTP brings 10,000 events in order, and then the end", async (t) => {
    const started = performance.now();
    const response = await subscribe("stream/count", { to: EVENTS });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    let next = 0;
    let last: WireEvent | undefined;
    for await (const event of eventsOf(response)) {
      last = event;
      if (event.event === "message") assert.deepEqual(event.data, { each: next++ });
    }
    assert.equal(next, EVENTS);
    assert.deepEqual(last, { event: "end", data: "[DONE]" });
    t.diagnostic(`${EVENTS} events in ${Math.round(performance.now() - started)} ms.`);
  });

  test("a subscription over plain HTTP tells a failure in the stream as its last event, and one before it as a status", async () => {
    const events: WireEvent[] = [];
    for await (const event of eventsOf(await subscribe("stream/count", { to: 3, failAt: 1 }))) {
      events.push(event);
    }
    assert.deepEqual(events, [
      { event: "message", data: { each: 0 } },
      {
        event: "error",
        data: { code: "STUMBLED", message: "It fell over.", retryable: false, details: { each: 1 } },
      },
    ]);
    const refused = await subscribe("stream/count", { to: "many" });
    assert.equal(refused.status, 422);
    const { requestId, error } = (await refused.json()) as { requestId: string; error: { code: string } };
    assert.equal(error.code, "INVALID_INPUT");
    assert.ok(requestId);
  });

  test("a subscription over plain HTTP shows that a silent stream lives, and tells its handler within a second that the client is gone", async () => {
    forget();
    const client = new AbortController();
    const response = await subscribe("stream/silent", {}, client.signal);
    const reader = (response.body ?? assert.fail()).getReader();
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), ": heartbeat\n\n");
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), ": heartbeat\n\n");
    const gone = awakeTime();
    client.abort();
    const late = (await seen.ended.promise) - gone;
    assert.ok(late < 1_000, `${late} ms`);
  });

  test("a subscription over plain HTTP is slowed down by a reader that takes nothing, and ended when it goes", async (t) => {
    forget();
    const url = new URL(server.url);
    const body = JSON.stringify({ operation: "stream/large" });
    const socket = connect(Number(url.port), url.hostname);
    socket.pause();
    socket.write(
      `POST /subscribe HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await seen.started.promise;
    // Until the handler has not been asked for more for a while.
    for (let before = -1; before !== seen.made; ) {
      before = seen.made;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    t.diagnostic(`The handler made ${seen.made} items of 256 KiB for a reader that took none.`);
    assert.ok(seen.made * LARGE.length < SOCKETS_HOLD, `${seen.made} items were made.`);
    const gone = awakeTime();
    socket.destroy();
    const late = (await seen.ended.promise) - gone;
    assert.ok(late < 1_000, `${late} ms`);
  });

  test("a subscription over plain HTTP goes on where a slow reader left off, without a gap", async () => {
    const response = await subscribe("stream/count", { to: 2_000 });
    let next = 0;
    for await (const { event, data } of eventsOf(response)) {
      if (event !== "message") continue;
      assert.deepEqual(data, { each: next++ });
      if (next % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 30));
    }
    assert.equal(next, 2_000);
  });
});
