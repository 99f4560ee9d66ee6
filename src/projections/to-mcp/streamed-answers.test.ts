import assert from "node:assert/strict";
import { test } from "node:test";
import { onceDecided } from "./streamed-answers.ts";

const HEADERS = { "content-type": "text/event-stream" };

/** A response whose stream sends what it is told to. */
function streamed() {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelled: unknown;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
    },
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  return {
    response: new Response(body, { status: 200, headers: HEADERS }),
    send: (text: string) => stream?.enqueue(new TextEncoder().encode(text)),
    end: () => stream?.close(),
    cancelled: () => cancelled,
  };
}

const never = new Promise<void>(() => {});

test("a stream waits for the admission of its call, and then has all its events", async () => {
  const { response, send, end } = streamed();
  const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
  let isDecided = false;
  const decided = onceDecided(response, admitted).finally(() => {
    isDecided = true;
  });
  await new Promise(setImmediate);
  assert.equal(isDecided, false);
  admit();
  const { status, headers, body } = await decided;
  assert.deepEqual([status, headers.get("content-type")], [200, HEADERS["content-type"]]);
  send("data: 1\n\n");
  send("data: 2\n\n");
  end();
  assert.equal(await new Response(body).text(), "data: 1\n\ndata: 2\n\n");
});

test("a stream whose call is refused is decided by its first event", async () => {
  const { response, send, end } = streamed();
  const decided = onceDecided(response, never);
  send("data: refused\n\n");
  end();
  assert.equal(await (await decided).text(), "data: refused\n\n");
});

test("a reader that leaves a decided stream ends the stream behind it", async () => {
  const { response, cancelled } = streamed();
  await (await onceDecided(response, Promise.resolve())).body?.cancel("gone");
  assert.equal(cancelled(), "gone");
});

test("an answer in JSON does not wait for an admission", async () => {
  const response = Response.json({ ok: true });
  assert.equal(await onceDecided(response, never), response);
});
