import assert from "node:assert/strict";
import { test } from "node:test";
import { limitEvents } from "./limit-events.ts";

const tooLarge = () => new Error("too large");

async function pass(chunks: readonly string[], limit: number): Promise<string> {
  const source = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  return new Response(
    source.pipeThrough(limitEvents({ maxBytes: limit, tooLarge, tooMany: () => undefined })),
  ).text();
}

test("events pass as they are, however they are cut and however many there are", async () => {
  const text = "data: 1234\n\n: comment\n\ndata: 5\r\n\r\ndata: 6\n\n".repeat(20);
  for (const size of [1, 2, 3, 7, 1000]) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    assert.equal(await pass(chunks, 30), text, `in pieces of ${size}`);
  }
});

test("an event beyond the limit breaks the stream before it has come to its end, of one line or many", async () => {
  for (const text of [`data: ${"x".repeat(50)}`, "data: x\n".repeat(10)]) {
    await assert.rejects(pass([text], 30), /too large/);
    await assert.rejects(pass([...text, "\n\n"], 30), /too large/);
  }
});

test("what follows the last empty line counts, what is before it does not", async () => {
  const before = `data: ${"x".repeat(20)}\n\n`;
  assert.equal(await pass([before + before, "data: y"], 30), `${before}${before}data: y`);
  await assert.rejects(pass([`${before}data: ${"y".repeat(20)}`, "y".repeat(20)], 30), /too large/);
});

test("each event is counted before it is passed on, and the stream breaks where there are too many", async () => {
  const seen: number[] = [];
  const tooMany = (bytes: number) => (seen.push(bytes) > 3 ? new Error("too many") : undefined);
  const bytes = new TextEncoder().encode("data: 1\n\n".repeat(5));
  const source = ReadableStream.from([bytes.slice(0, 4), bytes.slice(4)]);
  const passed = new Response(source.pipeThrough(limitEvents({ maxBytes: 30, tooLarge, tooMany })));
  await assert.rejects(passed.text(), /too many/);
  assert.deepEqual(seen, [8, 9, 9, 9]);
});
