import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { decode } from "./decode.ts";
import type { Incoming } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";

const options = { origin: "https://api.example", maxResponseBytes: 1000 };

function incoming(encoding: string, body: Incoming["body"], type = "text/plain"): Incoming {
  const headers = { "content-encoding": encoding, "content-length": "9", "content-type": type };
  return { status: 200, statusText: "OK", headers, body };
}

function bytes(content: Buffer | string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(content));
}

function textOf({ body }: Incoming): Promise<string> {
  return new Response(body ?? null).text();
}

const isKind = (kind: string) => (error: unknown) => error instanceof OutboundError && error.kind === kind;

test("the usual encodings are decoded, whole and streamed, and no longer announced", async () => {
  for (const [encoding, write] of [
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["BR", brotliCompressSync],
  ] as const) {
    const written = bytes(write("hello"));
    const whole = await decode(incoming(encoding, written), options);
    assert.ok(whole.body instanceof Uint8Array);
    assert.equal(await textOf(whole), "hello");
    assert.deepEqual(whole.headers, { "content-type": "text/plain" });
    const streamed = await decode(incoming(encoding, new Blob([written]).stream()), options);
    assert.ok(streamed.body instanceof ReadableStream);
    assert.equal(await textOf(streamed), "hello");
  }
});

test("an answer that is not encoded, or is empty, passes", async () => {
  const plain = incoming("identity", bytes("hello"));
  assert.equal(await decode(plain, options), plain);
  const none = incoming("gzip", undefined);
  assert.equal(await decode(none, options), none);
  assert.equal(await textOf(await decode(incoming("gzip", bytes("")), options)), "");
});

test("what grows beyond the limit is cut, and events have none", async () => {
  const bomb = bytes(gzipSync("x".repeat(5000)));
  await assert.rejects(decode(incoming("gzip", bomb), options), isKind("too-large"));
  const streamed = await decode(incoming("gzip", new Blob([bomb]).stream()), options);
  await assert.rejects(textOf(streamed), isKind("too-large"));
  const events = await decode(incoming("gzip", new Blob([bomb]).stream(), "text/event-stream"), options);
  assert.equal((await textOf(events)).length, 5000);
});

test("what cannot be decoded is broken", async () => {
  await assert.rejects(decode(incoming("gzip", bytes("no gzip")), options), isKind("broken"));
  await assert.rejects(decode(incoming("zstd", bytes("x")), options), isKind("broken"));
  const { body, left } = watched();
  await assert.rejects(decode(incoming("aes", body), options), isKind("broken"));
  await left;
});

test("an error of the source stays what it was, and a reader that leaves is passed on", async () => {
  const late = new OutboundError("timeout", "Too late.");
  const failing = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(late) });
  await assert.rejects(textOf(await decode(incoming("gzip", failing), options)), (error) => error === late);
  const { body: endless, left } = watched();
  const { body } = await decode(incoming("gzip", endless), options);
  assert.ok(body instanceof ReadableStream);
  await body.cancel();
  await left;
});

/** A stream that never ends, and a promise of the moment when its reader leaves. */
function watched(): { readonly body: ReadableStream<Uint8Array>; readonly left: Promise<void> } {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return { body: new ReadableStream({ cancel: () => leave() }), left };
}
