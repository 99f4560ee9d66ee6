import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventParser, EventTooLarge, readEvents } from "./event-stream.ts";

const STREAM =
  ": hello\r\nid: 1\r\nevent: add\r\ndata: a\r\ndata:b\r\n\r\ndata\n\nretry: 5\nevent: lost\n\ndata: é:x\r\rdata: unfinished";
const EVENTS = [
  { event: "add", id: "1", data: "a\nb" },
  { event: "message", id: "1", data: "" },
  { event: "message", id: "1", data: "é:x" },
];

test("events are read as the standard says; comments and unfinished events are dropped", () => {
  assert.deepEqual([...new EventParser().push(STREAM)], EVENTS);
});

test("a stream gives the same events wherever it is cut, even within a character", async () => {
  const bytes = new TextEncoder().encode(STREAM);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), async (sizes) => {
      async function* pieces() {
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          yield bytes.subarray(at, at + size);
          at += size;
        }
      }
      const found: unknown[] = [];
      for await (const event of readEvents(pieces())) found.push(event);
      assert.deepEqual(found, EVENTS);
    }),
    { numRuns: 50 },
  );
});

test("an event larger than the limit is refused, in one line or in many, in one piece or in several", () => {
  for (const piece of ["data: 0123456789", "data: 0\n".repeat(10)]) {
    assert.throws(() => [...new EventParser({ maxLength: 14 }).push(piece)], EventTooLarge);
  }
  const large = new EventParser({ maxLength: 14 });
  const before: unknown[] = [];
  assert.throws(() => {
    for (const event of large.push("data: a\n\ndata: 0123456789abcdef\n\n")) before.push(event);
  }, EventTooLarge);
  assert.deepEqual(before, [{ event: "message", data: "a" }]);
  const alive = new EventParser({ maxLength: 14 });
  for (let turn = 0; turn < 100; turn++) assert.deepEqual([...alive.push(": alive\n\n: alive\n")], []);
});

test("an event whose lines end in CR is read as soon as it is complete", () => {
  const parser = new EventParser();
  assert.deepEqual([...parser.push("data: a\r\r")], [{ event: "message", data: "a" }]);
  assert.deepEqual([...parser.push("\ndata: b\r")], []);
  assert.deepEqual([...parser.push("\n\r")], [{ event: "message", data: "b" }]);
});

test("a body of events is read only as fast as its consumer asks", async () => {
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken++;
      yield new TextEncoder().encode("data: x\n\n");
    }
  }
  const events = readEvents(endless());
  await events.next();
  await events.next();
  assert.equal(taken, 2);
  await events.return();
});
