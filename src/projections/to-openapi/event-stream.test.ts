import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { CallError } from "../../core/index.ts";
import { toEventStream } from "./event-stream.ts";

const QUIET = { heartbeatMs: 1_000_000 };

/** Counts up for ever, and knows how far it got and whether it was ended. */
function counter() {
  const seen = { made: 0, ended: false };
  async function* count() {
    try {
      while (true) yield seen.made++;
    } finally {
      seen.ended = true;
    }
  }
  return { items: count(), seen };
}

async function textOf(items: AsyncIterator<unknown>): Promise<string> {
  return new Response(toEventStream(items, QUIET)).text();
}

test("items are data in order, and the end is told", async () => {
  async function* items() {
    yield { line: "one\ntwo\r\u2028three" };
    yield null;
    yield undefined;
  }
  assert.equal(
    await textOf(items()),
    'data: {"line":"one\\ntwo\\r\u2028three"}\n\ndata: null\n\ndata: null\n\nevent: end\ndata: [DONE]\n\n',
  );
});

test("a failure is an event of its own, and the last one", async () => {
  async function* items() {
    yield 1;
    throw new CallError("UNAVAILABLE", "Gone.", { details: { why: "night" } });
  }
  assert.equal(
    await textOf(items()),
    'data: 1\n\nevent: error\ndata: {"code":"UNAVAILABLE","message":"Gone.","retryable":true,"details":{"why":"night"}}\n\n',
  );
});

test("an error that is not a CallError breaks the stream and shows nothing", async () => {
  async function* items() {
    yield 1;
    throw new Error("a secret of the inside");
  }
  const reader = toEventStream(items(), QUIET).getReader();
  await reader.read();
  await assert.rejects(reader.read());
});

test("nothing is made before the reader asks for it", async () => {
  const { items, seen } = counter();
  const reader = toEventStream(items, QUIET).getReader();
  await new Promise(setImmediate);
  assert.equal(seen.made, 0);
  for (let taken = 1; taken <= 5; taken++) {
    await reader.read();
    await new Promise(setImmediate);
    assert.equal(seen.made, taken);
  }
  await reader.cancel();
  assert.ok(seen.ended);
});

test("a silent stream shows that it lives, but never piles up signs of life", async (t) => {
  mock.timers.enable({ apis: ["setInterval"] });
  t.after(() => mock.timers.reset());
  let answer: (step: IteratorResult<unknown>) => void = () => {};
  const items: AsyncIterator<unknown> = {
    next: () => new Promise((resolve) => (answer = resolve)),
    return: async () => ({ done: true, value: undefined }),
  };
  const reader = toEventStream(items, { heartbeatMs: 100 }).getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString();

  const first = read();
  mock.timers.tick(100);
  assert.equal(await first, ": heartbeat\n\n");
  // Nobody reads now, for a long time.
  for (let beat = 0; beat < 50; beat++) mock.timers.tick(100);
  assert.equal(await read(), ": heartbeat\n\n");
  const item = read();
  answer({ done: false, value: "late" });
  assert.equal(await item, 'data: "late"\n\n');
  await reader.cancel();
});

test("a reader that goes away while an item is awaited ends the subscription", async () => {
  let returned = false;
  let answer: (step: IteratorResult<unknown>) => void = () => {};
  const items: AsyncIterator<unknown> = {
    next: () => new Promise((resolve) => (answer = resolve)),
    return: async () => {
      returned = true;
      return { done: true, value: undefined };
    },
  };
  const reader = toEventStream(items, QUIET).getReader();
  const pending = reader.read();
  await reader.cancel();
  assert.ok(returned);
  answer({ done: false, value: "too late" });
  assert.equal((await pending).done, true);
  await new Promise(setImmediate);
});
