import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BodyKind,
  decideBodyKind,
  declaredLengthOf,
  discard,
  type IncomingHeaders,
} from "./incoming.ts";

function kindOf(headers: IncomingHeaders, { status = 200, method = "GET" } = {}): BodyKind {
  return decideBodyKind(method, { status, statusText: "", headers });
}

test("JSON and what is short are read whole, the rest is streamed", () => {
  assert.equal(kindOf({ "content-type": "application/json" }), "whole");
  assert.equal(kindOf({ "content-type": "Application/Problem+JSON; charset=utf-8" }), "whole");
  assert.equal(kindOf({ "content-type": "text/html", "content-length": "65536" }), "whole");
  assert.equal(kindOf({ "content-type": "text/html", "content-length": "65537" }), "stream");
  assert.equal(kindOf({ "content-type": "application/x-ndjson" }), "stream");
  assert.equal(kindOf({ "content-type": "application/json-seq" }), "stream");
  assert.equal(kindOf({}), "stream");
});

test("events are a stream without end, whatever length is declared", () => {
  assert.equal(
    kindOf({ "content-type": "text/event-stream;charset=utf-8", "content-length": "3" }),
    "events",
  );
});

test("answers that have no body have none, and 202 has little", () => {
  for (const status of [204, 205, 304]) {
    assert.equal(kindOf({ "content-type": "application/json" }, { status }), "none");
  }
  assert.equal(kindOf({ "content-type": "application/json" }, { method: "HEAD" }), "none");
  assert.equal(kindOf({}, { status: 202 }), "whole");
});

test("a length is a number or unknown", () => {
  assert.equal(declaredLengthOf({ "content-length": "12" }), 12);
  assert.equal(declaredLengthOf({ "content-length": ["12", "13"] }), 12);
  for (const text of ["", "-1", "1e3", "many"])
    assert.equal(declaredLengthOf({ "content-length": text }), undefined);
});

test("discarding cancels a stream, and a failure of that is nobody's concern", async () => {
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
