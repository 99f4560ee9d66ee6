import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventParser, EventTooLarge, readEvents } from "./event-parser.ts";

const STREAM =
  ": hello\r\nid: 1\r\nevent: add\r\ndata: a\r\ndata:b\r\n\r\ndata\n\nretry: 5\nevent: lost\n\ndata: é:x\r\rdata: unfinished";
const EVENTS = [
  { event: "add", id: "1", data: "a\nb" },
  { event: "message", id: "1", data: "" },
  { event: "message", id: "1", data: "é:x" },
];

test("events are read as the standard says, comments and unfinished ones left out", () => {
  assert.deepEqual([...new EventParser().push(STREAM)], EVENTS);
});

test("it does not matter where the stream is cut, not even within a character", async () => {
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

test("an event larger than the limit is refused, in one line or in many", () => {
  for (const piece of ["data: 0123456789", "data: 0\n".repeat(10)]) {
    assert.throws(() => [...new EventParser({ maxLength: 14 }).push(piece)], EventTooLarge);
  }
  const alive = new EventParser({ maxLength: 14 });
  for (let turn = 0; turn < 100; turn++) assert.deepEqual([...alive.push(": alive\n\n: alive\n")], []);
});

test("nothing is read before it is asked for", async () => {
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
