import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ProtocolViolation } from "./envelope.ts";
import { FrameReader, toFrame } from "./frames.ts";

const decoder = new TextDecoder();

function readAll(reader: FrameReader, chunks: readonly Uint8Array[]): readonly string[] {
  return chunks.flatMap((chunk) => [...reader.push(chunk)].map((bytes) => decoder.decode(bytes)));
}

test("a frame is four bytes of length, big-endian, and the envelope in UTF-8", () => {
  assert.deepEqual([...toFrame("ü!")], [0, 0, 0, 3, 0xc3, 0xbc, 0x21]);
  assert.deepEqual([...toFrame("x".repeat(0x010203)).subarray(0, 4)], [0, 1, 2, 3]);
  assert.deepEqual(toFrame("ü!", Buffer.allocUnsafe), Buffer.from(toFrame("ü!")));
});

test("frames come out whole and in order, however the stream is cut", () => {
  const text = fc
    .tuple(fc.string({ minLength: 1, maxLength: 20, unit: "binary" }), fc.integer({ min: 1, max: 150 }))
    .map(([some, times]) => some.repeat(times));
  const texts = fc.array(text, { maxLength: 10 });
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 2_000 })), (given, cuts) => {
      const bytes = Buffer.concat(given.map((text) => toFrame(text)));
      const chunks: Uint8Array[] = [];
      let at = 0;
      for (const size of cuts) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      chunks.push(bytes.subarray(at));
      const reader = new FrameReader();
      // Kept until the end: later frames must not overwrite those that were handed out.
      const kept = chunks.flatMap((chunk) => [...reader.push(new Uint8Array(chunk))]);
      assert.deepEqual(
        kept.map((frame) => Buffer.from(frame).toString("latin1")),
        given.map((text) => Buffer.from(text).toString("latin1")),
      );
      assert.equal(reader.waiting, 0);
    }),
  );
});

test("single bytes cost no more than one large chunk", () => {
  const frame = toFrame("x".repeat(200_000));
  const reader = new FrameReader();
  let whole = 0;
  for (let at = 0; at < frame.length; at++) whole += readAll(reader, [frame.subarray(at, at + 1)]).length;
  assert.equal(whole, 1);
});

test("no bytes, or more than may be, are refused when the length is there", () => {
  const refused = (bytes: readonly number[], maxBytes?: number) =>
    assert.throws(() => readAll(new FrameReader(maxBytes), [Uint8Array.from(bytes)]), ProtocolViolation);
  refused([0, 0, 0, 0]);
  refused([4, 0, 0, 1]);
  refused([255, 255, 255, 255]);
  refused([0, 0, 0, 11], 10);
  assert.deepEqual(readAll(new FrameReader(), [Uint8Array.from([4, 0, 0, 0])]), []);
  const reader = new FrameReader();
  assert.deepEqual(readAll(reader, [Uint8Array.from([0, 0, 0])]), []);
  assert.equal(reader.waiting, 3);
});
