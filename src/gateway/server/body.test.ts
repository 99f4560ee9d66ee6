import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyRefused, readJson } from "./body.ts";

const LIMITS = { maxBodyBytes: 100, maxNesting: 4 };

function read(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const request = new Request("http://localhost", {
    method: "POST",
    body,
    headers,
    duplex: "half",
  } as RequestInit);
  return readJson(request, LIMITS);
}

function inChunks(...chunks: readonly string[]): ReadableStream {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

test("a body is read whole, in one piece or in chunks that split a character", async () => {
  assert.deepEqual(await read('{"a":[1]}', { "content-length": "9" }), { a: [1] });
  const bytes = new TextEncoder().encode('{"a":"ü"}');
  const split = ReadableStream.from([bytes.slice(0, 7), bytes.slice(7)]);
  assert.deepEqual(await read(split), { a: "ü" });
});

test("a body over the limit is refused, by its declared length or while it comes in", async () => {
  const refused = (error: unknown) => error instanceof BodyRefused && error.status === 413;
  await assert.rejects(read("{}", { "content-length": "101" }), refused);
  await assert.rejects(read(inChunks('"', "x".repeat(60), "x".repeat(60), '"')), refused);
});

test("a body that is too deep or not JSON is refused", async () => {
  const refused = (error: unknown) => error instanceof BodyRefused && error.status === 400;
  await assert.rejects(read("[[[[[1]]]]]"), refused);
  await assert.rejects(read("[".repeat(90)), refused);
  await assert.rejects(read('{"a":'), refused);
  await assert.rejects(read(""), refused);
  assert.deepEqual(await read('["[[[[[[", "\\"[[[[[["]'), ["[[[[[[", '"[[[[[[']);
  assert.deepEqual(await read("[[],[],[],[],[],[]]"), [[], [], [], [], [], []]);
});

test("a body that is not UTF-8 is refused, and its bytes are not replaced", async () => {
  const refused = (error: unknown) =>
    error instanceof BodyRefused && error.status === 400 && error.message === "The body is not valid UTF-8.";
  const bytes = new Uint8Array([0x22, 0x61, 0xff, 0x22]);
  await assert.rejects(read(bytes, { "content-length": "4" }), refused);
  await assert.rejects(read(ReadableStream.from([bytes])), refused);
  assert.equal(await read('\ufeff"\ufffd"', { "content-length": "8" }), "\ufffd");
});

test("a compressed body is refused as such", async () => {
  const refused = (error: unknown) => error instanceof BodyRefused && error.status === 415;
  await assert.rejects(read("{}", { "content-encoding": "gzip" }), refused);
  assert.deepEqual(await read("{}", { "content-encoding": "identity" }), {});
});

test("a body of tens of thousands of different keys is refused with what to send instead", async () => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 10_050 }, (_, n) => [`k${n}`, 0])));
  const request = new Request("http://localhost", { method: "POST", body });
  await assert.rejects(
    readJson(request, { maxBodyBytes: 2 ** 20, maxNesting: 4 }),
    (error) =>
      error instanceof BodyRefused &&
      error.status === 400 &&
      /more than 10000 different keys.*Send a list of items/.test(error.message),
  );
});
