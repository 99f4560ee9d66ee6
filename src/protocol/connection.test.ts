import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedTime, settle } from "../../test/support/call-time.ts";
import { type SeenEnvelope, WireEnd } from "../../test/support/call-wire.ts";
import { CallError } from "../core/index.ts";
import { createConnection } from "./connection.ts";
import type { ConnectionLimits } from "./limits.ts";
import type { Service } from "./ports.ts";

interface Given {
  readonly service?: Partial<Service>;
  readonly limits?: Partial<ConnectionLimits>;
  readonly capacity?: number;
}

/** A connection, and the other end of its wire to be used by hand. */
function connect({ service = {}, limits = {}, capacity = 1_000_000 }: Given = {}) {
  const time = new SimulatedTime();
  const sent: SeenEnvelope[] = [];
  const here = new WireEnd({ capacity, onSent: (seen) => sent.push(seen) });
  const there = new WireEnd({ capacity: 1_000_000 });
  here.join(there);
  there.open({ message: () => {}, drained: () => {}, closed: () => {} });
  const none = () => Promise.reject(new CallError("NOT_FOUND", "There is none."));
  const connection = createConnection({
    transport: here,
    service: { call: none, subscribe: none, ...service },
    timers: time,
    limits,
  });
  async function receive(type: string, id: string, payload: object = {}): Promise<void> {
    there.send(JSON.stringify({ type, id, payload }));
    there.deliver(1_000_000);
    await settle();
  }
  return { connection, time, sent, here, receive };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (thrown) => (thrown instanceof CallError ? thrown.code : `not a CallError: ${thrown}`),
  );
}

test("a request carries the caller's options and the remaining time", async () => {
  const { connection, sent } = connect();
  void connection.call("demo/greet", { name: "Ada" }, { deadlineMs: 70, hops: ["a"], forwardedFor: "Bo" });
  void connection.call("/demo/plain");
  connection.subscribe("demo/items");
  assert.deepEqual(
    sent.map(({ payload }) => payload),
    [
      { operationId: "/demo/greet", input: { name: "Ada" }, hops: ["a"], forwardedFor: "Bo", deadlineMs: 70 },
      { operationId: "/demo/plain", deadlineMs: 30_000 },
      { operationId: "/demo/items", stream: true },
    ],
  );
  assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
});

test("a request that waited to be sent carries only its remaining time", async () => {
  const { connection, sent, time, here } = connect({ capacity: 10 });
  void connection.call("demo/first");
  void connection.call("demo/second", {}, { deadlineMs: 100 });
  const taken = codeOf(connection.call("demo/third", {}, { deadlineMs: 30 }));
  assert.equal(sent.length, 1);
  time.pass(40);
  assert.equal(await taken, "TIMEOUT");
  here.deliver(1_000_000);
  assert.deepEqual(
    sent.map(({ type, payload }) => [type, payload.operationId, payload.deadlineMs]),
    [
      ["call.requested", "/demo/first", 30_000],
      ["call.requested", "/demo/second", 60],
    ],
    "what was never sent is not aborted either",
  );
});

test("a call whose input cannot be sent is refused locally", async () => {
  const { connection, sent } = connect({ limits: { maxEnvelopeBytes: 200 } });
  assert.equal(await codeOf(connection.call("demo/a", { big: 1n })), "INVALID_INPUT");
  assert.equal(await codeOf(connection.call("demo/a", "x".repeat(300))), "INVALID_INPUT");
  assert.equal(await codeOf(connection.call("demo/a", {}, { signal: AbortSignal.abort() })), "ABORTED");
  assert.equal(await codeOf(connection.subscribe("demo/a", 1n).next()), "INVALID_INPUT");
  assert.deepEqual([sent.length, connection.pending().outgoing], [0, 0]);
});

test("an output that cannot be sent is an error of its call", async () => {
  const outputs: Readonly<Record<string, unknown>> = {
    "/a/big": "x".repeat(300),
    "/a/odd": 1n,
    "/a/none": undefined,
  };
  const { sent, receive } = connect({
    limits: { maxEnvelopeBytes: 250 },
    service: {
      call: async ({ operationId }) => {
        if (operationId !== "/a/details") return outputs[operationId];
        throw new CallError("OWN", "No.", { details: { odd: 1n } });
      },
    },
  });
  for (const operationId of [...Object.keys(outputs), "/a/details"]) {
    await receive("call.requested", operationId, { operationId });
  }
  assert.deepEqual(
    sent.map(({ id, payload }) => [id, payload.code ?? payload.output, payload.details]),
    [
      ["/a/big", "RESULT_TOO_LARGE", undefined],
      ["/a/odd", "INTERNAL", undefined],
      ["/a/none", null, undefined],
      ["/a/details", "OWN", undefined],
    ],
  );
});

test("an abort of the other side ends the call on this one, whichever of them made it", async () => {
  let signal: AbortSignal | undefined;
  const { connection, sent, receive } = connect({
    service: {
      call: (_request, given) => {
        signal = given;
        return new Promise(() => {});
      },
    },
  });
  const call = codeOf(connection.call("demo/a"));
  await receive("call.aborted", sent[0]?.id ?? "");
  assert.equal(await call, "ABORTED");
  await receive("call.requested", "x", { operationId: "/a/b" });
  await receive("call.aborted", "x");
  assert.equal(signal?.reason?.code, "ABORTED");
  assert.equal(sent.length, 1, "an abort is not answered");
});

test("a deadline ends a call on the serving side too", async () => {
  let signal: AbortSignal | undefined;
  const { time, sent, receive, connection } = connect({
    service: {
      call: (_request, given) => {
        signal = given;
        return new Promise(() => {});
      },
    },
  });
  await receive("call.requested", "x", { operationId: "/a/b", deadlineMs: 50 });
  time.pass(51);
  assert.deepEqual([sent[0]?.type, sent[0]?.payload.code], ["call.error", "TIMEOUT"]);
  assert.equal(signal?.reason?.code, "TIMEOUT");
  assert.equal(connection.pending().incoming, 0);
});

test("a service's own error at the deadline reaches the caller", async () => {
  const said = new CallError("TIMEOUT", "Late.", { retryable: true });
  const { time, sent, receive } = connect({
    service: {
      call: (_request, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(said))),
    },
  });
  await receive("call.requested", "x", { operationId: "/a/b", deadlineMs: 50 });
  for (let turn = 0; turn < 50; turn++) {
    time.pass(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(
    sent.map(({ payload }) => [payload.code, payload.retryable]),
    [["TIMEOUT", true]],
  );
});

test("items beyond the credit, and an id of a running call, close the connection with the reason", async () => {
  const flooded = connect();
  const items = flooded.connection.subscribe("demo/items");
  const { id = "" } = flooded.sent[0] ?? {};
  for (let item = 0; item < 33; item++) await flooded.receive("call.responded", id, { output: item });
  assert.match((await flooded.connection.closed).message, /more items than credit/);
  const seen: unknown[] = [];
  const end = await codeOf(
    (async () => {
      for await (const item of items) seen.push(item);
    })(),
  );
  assert.deepEqual([seen.length, end], [32, "UNAVAILABLE"]);

  const reused = connect({ service: { call: () => new Promise(() => {}) } });
  await reused.receive("call.requested", "x", { operationId: "/a/b" });
  await reused.receive("call.requested", "x", { operationId: "/a/b" });
  assert.match((await reused.connection.closed).message, /has not ended/);

  const stolen = connect();
  const call = codeOf(stolen.connection.call("demo/a"));
  await stolen.receive("call.requested", stolen.sent[0]?.id ?? "", { operationId: "/a/b" });
  assert.equal(await call, "UNAVAILABLE");
});

test("several takers of one stream get one item each, and all of them its end", async () => {
  const { connection, sent, receive } = connect();
  const items = connection.subscribe("demo/items");
  const taken = [items.next(), items.next(), items.next(), items.next()];
  const { id = "" } = sent[0] ?? {};
  await receive("call.responded", id, { output: "a" });
  await receive("call.responded", id, { output: "b" });
  await receive("call.completed", id);
  const ends = (await Promise.all(taken)).map(({ done, value }) => [done, value]);
  assert.deepEqual(ends, [
    [false, "a"],
    [false, "b"],
    [true, undefined],
    [true, undefined],
  ]);
});

test("a side that takes nothing off the wire is let go, after its time or when too much piles up", async () => {
  const quiet = connect({ capacity: 0, limits: { stalledMs: 500 } });
  void codeOf(quiet.connection.call("demo/a"));
  quiet.time.pass(500);
  assert.equal((await quiet.connection.closed).code, "stalled");

  const greedy = connect({ capacity: 0, limits: { maxWaitingBytes: 1_000 } });
  for (let call = 0; call < 50; call++)
    await greedy.receive("call.requested", `${call}`, { operationId: "/a/b" });
  assert.equal((await greedy.connection.closed).code, "stalled");
  assert.ok(greedy.here.onTheWay < 2_000);
});

test("large answers wait to be sent in the order in which they were ready", async () => {
  const { sent, receive, here, connection } = connect({
    capacity: 0,
    service: { call: async ({ input }) => input },
  });
  for (const id of ["1", "2", "3"]) await receive("call.requested", id, { operationId: "/a/b", input: id });
  assert.deepEqual([sent.length, connection.pending().incoming], [1, 2]);
  for (let turn = 0; turn < 3; turn++) {
    here.deliver(1_000_000);
    await settle();
  }
  assert.deepEqual(
    sent.map(({ payload }) => payload.output),
    ["1", "2", "3"],
  );
});

test("a consumer that grants in time is not held to be slow later, and one that does not is told so", async () => {
  async function* forever() {
    for (let item = 0; ; item++) yield item;
  }
  const { time, sent, receive, connection } = connect({
    limits: { slowConsumerMs: 100 },
    service: { subscribe: () => forever() },
  });
  await receive("call.requested", "x", { operationId: "/a/b", stream: true });
  for (let grant = 0; grant < 5; grant++) {
    time.pass(90);
    await receive("call.credit", "x", { n: 1 });
  }
  assert.equal(sent.length, 37);
  assert.equal(time.running, 1, "only the wait for more credit runs");
  time.pass(100);
  assert.equal(sent.at(-1)?.payload.code, "SLOW_CONSUMER");
  assert.deepEqual([connection.pending().incoming, time.running], [0, 0]);
});

test("a stream that is ready only after its caller has gone is let go", async () => {
  let start: (items: AsyncIterator<unknown>) => void = () => {};
  const { receive, sent } = connect({
    service: { subscribe: () => new Promise((resolve) => (start = resolve)) },
  });
  await receive("call.requested", "x", { operationId: "/a/b", stream: true });
  await receive("call.aborted", "x");
  const seen: string[] = [];
  start({
    next: async () => ({ done: true, value: seen.push("next") }),
    return: async () => ({ done: true, value: seen.push("return") }),
  });
  await settle();
  assert.deepEqual([seen, sent], [["return"], []]);
});
