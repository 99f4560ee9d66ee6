import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedTime, settle } from "../../test/support/call-time.ts";
import { type SeenEnvelope, WireEnd } from "../../test/support/call-wire.ts";
import { createConnection } from "./connection.ts";
import type { Service } from "./ports.ts";

const LARGE = "x".repeat(10_000);
const MOST = 45_000;

/** A connection with small limits, and the other end of its wire, which reads nothing until told. */
function connect(service: Partial<Service>) {
  const sent: SeenEnvelope[] = [];
  const here = new WireEnd({ capacity: 1_000, onSent: (seen) => sent.push(seen) });
  const there = new WireEnd({ capacity: 10_000_000 });
  here.join(there);
  there.open({ message: () => {}, drained: () => {}, closed: () => {} });
  const none = () => assert.fail("Unexpected call.");
  const connection = createConnection({
    transport: here,
    service: { call: none, subscribe: none, ...service },
    timers: new SimulatedTime(),
    limits: { maxHeldBytes: MOST },
  });
  async function ask(ids: readonly string[], payload: object): Promise<void> {
    for (const id of ids)
      there.send(
        JSON.stringify({ type: "call.requested", id, payload: { operationId: "/a/b", ...payload } }),
      );
    there.deliver(10_000_000);
    await settle();
  }
  return { connection, sent, here, ask };
}

const IDS = Array.from({ length: 20 }, (_, index) => `c${index}`);
const codesOf = (sent: readonly SeenEnvelope[]) => sent.map(({ type, payload }) => payload.code ?? type);

test("requests that run hold so many bytes at most; one more is refused, and taken again later", async () => {
  let finish: (() => void)[] = [];
  const call = () => new Promise((resolve) => finish.push(() => resolve(1)));
  const { sent, here, ask } = connect({ call });
  await ask(IDS, { input: LARGE });
  assert.deepEqual([finish.length, codesOf(sent)], [4, Array.from({ length: 16 }, () => "RATE_LIMITED")]);
  for (const end of finish.splice(0)) end();
  here.deliver(10_000_000);
  await settle();
  finish = [];
  await ask(["later"], { input: LARGE });
  assert.equal(finish.length, 1);
});

test("unread answers hold a bounded number of bytes, and further ones become errors", async () => {
  const { connection, sent, here, ask } = connect({ call: async () => LARGE });
  await ask(IDS, {});
  const failed = codesOf(sent).filter((code) => code === "SLOW_CONSUMER").length;
  assert.equal(failed, 15, "one is on its way, four wait");
  here.deliver(10_000_000);
  await settle();
  while (here.onTheWay > 0) {
    here.deliver(10_000_000);
    await settle();
  }
  assert.equal(codesOf(sent).filter((code) => code === "call.responded").length, 5);
  assert.deepEqual([connection.pending().incoming, connection.pending().waitingForRoom], [0, 0]);
  await ask(["later"], {});
  assert.equal(sent.at(-1)?.type, "call.responded", "nothing is held after that");
});

test("unread items of many streams hold a bounded number of bytes", async () => {
  const released: unknown[] = [];
  const subscribe = () => ({
    next: async () => ({ done: false, value: LARGE }),
    return: async () => ({ done: true, value: released.push(1) }),
  });
  const { connection, sent, ask } = connect({ subscribe });
  await ask(IDS, { stream: true });
  assert.equal(codesOf(sent).filter((code) => code === "SLOW_CONSUMER").length, released.length);
  assert.ok(connection.pending().incomingStreams <= 5);
  connection.close();
  assert.equal(connection.pending().waitingForRoom, 0);
});

test("a single answer or request is taken however large it is", async () => {
  const { sent, here, ask } = connect({ call: async ({ input }) => input });
  await ask(["one"], { input: LARGE.repeat(8) });
  here.deliver(10_000_000);
  await ask(["two"], { input: LARGE.repeat(8) });
  assert.deepEqual(codesOf(sent), ["call.responded", "call.responded"]);
});
