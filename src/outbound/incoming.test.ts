import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import {
  decideBodyKind,
  declaredLengthOf,
  decode,
  discard,
  type Incoming,
  type IncomingHeaders,
  type ResponseBodyKind,
} from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";

function kindOf(headers: IncomingHeaders, { status = 200, method = "GET" } = {}): ResponseBodyKind {
  return decideBodyKind(method, { status, statusText: "", headers });
}

test("JSON and short responses are read whole, others are streamed", () => {
  assert.equal(kindOf({ "content-type": "application/json" }), "whole");
  assert.equal(kindOf({ "content-type": "Application/Problem+JSON; charset=utf-8" }), "whole");
  assert.equal(kindOf({ "content-type": "text/html", "content-length": "65536" }), "whole");
  assert.equal(kindOf({ "content-type": "text/html", "content-length": "65537" }), "stream");
  assert.equal(kindOf({ "content-type": "application/x-ndjson" }), "stream");
  assert.equal(kindOf({ "content-type": "application/json-seq" }), "stream");
  assert.equal(kindOf({}), "stream");
});

test("an event stream is endless, whatever length it declares", () => {
  assert.equal(
    kindOf({ "content-type": "text/event-stream;charset=utf-8", "content-length": "3" }),
    "events",
  );
});

test("HEAD, 204, 205 and 304 have no body, and 202 is read whole", () => {
  for (const status of [204, 205, 304]) {
    assert.equal(kindOf({ "content-type": "application/json" }, { status }), "none");
  }
  assert.equal(kindOf({ "content-type": "application/json" }, { method: "HEAD" }), "none");
  assert.equal(kindOf({}, { status: 202 }), "whole");
});

test("a declared length that is not a number is unknown", () => {
  assert.equal(declaredLengthOf({ "content-length": "12" }), 12);
  assert.equal(declaredLengthOf({ "content-length": ["12", "13"] }), 12);
  for (const text of ["", "-1", "1e3", "many"])
    assert.equal(declaredLengthOf({ "content-length": text }), undefined);
});

test("discarding a response cancels its stream, and ignores a failure to do so", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    cancel: () => {
      cancelled = true;
      throw new Error("no");
    },
  });
  await discard({ body });
  await discard({ body: undefined });
  assert.ok(cancelled);
});

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

test("gzip, deflate and brotli are decoded, whole and streamed, and their headers are removed", async () => {
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

test("a response that is not encoded, or is empty, passes unchanged", async () => {
  const plain = incoming("identity", bytes("hello"));
  assert.equal(await decode(plain, options), plain);
  const none = incoming("gzip", undefined);
  assert.equal(await decode(none, options), none);
  assert.equal(await textOf(await decode(incoming("gzip", bytes("")), options)), "");
});

test("a response that decodes to more than the limit is refused, and event streams have no limit", async () => {
  const bomb = bytes(gzipSync("x".repeat(5000)));
  await assert.rejects(decode(incoming("gzip", bomb), options), isKind("too-large"));
  const streamed = await decode(incoming("gzip", new Blob([bomb]).stream()), options);
  await assert.rejects(textOf(streamed), isKind("too-large"));
  const events = await decode(incoming("gzip", new Blob([bomb]).stream(), "text/event-stream"), options);
  assert.equal((await textOf(events)).length, 5000);
});

test("a response that cannot be decoded is a broken one", async () => {
  await assert.rejects(decode(incoming("gzip", bytes("no gzip")), options), isKind("broken"));
  await assert.rejects(decode(incoming("zstd", bytes("x")), options), isKind("broken"));
  const { body, left } = watched();
  await assert.rejects(decode(incoming("aes", body), options), isKind("broken"));
  await left;
});

test("decoding passes on an error of the source, and cancels the source when the reader leaves", async () => {
  const late = new OutboundError("timeout", "Too late.");
  const failing = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(late) });
  await assert.rejects(textOf(await decode(incoming("gzip", failing), options)), (error) => error === late);
  const { body: endless, left } = watched();
  const { body } = await decode(incoming("gzip", endless), options);
  assert.ok(body instanceof ReadableStream);
  await body.cancel();
  await left;
});

/** An endless stream, and a promise that resolves when its reader leaves. */
function watched(): { readonly body: ReadableStream<Uint8Array>; readonly left: Promise<void> } {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return { body: new ReadableStream({ cancel: () => leave() }), left };
}
