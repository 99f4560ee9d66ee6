import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isLargerThan, ProtocolViolation, readEnvelope, writeEnvelope } from "./envelope.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const encoder = new TextEncoder();

function read(value: unknown, limits = DEFAULT_LIMITS) {
  return readEnvelope(encoder.encode(typeof value === "string" ? value : JSON.stringify(value)), limits);
}

function refuses(value: unknown, sentence: RegExp, limits = DEFAULT_LIMITS): void {
  assert.throws(
    () => read(value, limits),
    (error) => error instanceof ProtocolViolation && sentence.test(error.message),
    JSON.stringify(value),
  );
}

test("an envelope is read as it was written", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.jsonValue({ maxDepth: 5 }), (id, output) => {
      const expected = JSON.parse(JSON.stringify({ type: "call.responded", id, payload: { output } }));
      assert.deepEqual(read(writeEnvelope("call.responded", id, { output })), expected);
    }),
  );
});

test("no bytes, however they are, do more than be refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.throws(() => readEnvelope(bytes, DEFAULT_LIMITS), ProtocolViolation);
    }),
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.throws(() => read(text), ProtocolViolation);
    }),
  );
});

test("an envelope is a small enough, shallow enough object in UTF-8", () => {
  refuses("", /no bytes/);
  refuses("{", /not JSON/);
  refuses("\ufeff{}", /not JSON/);
  for (const value of [null, 1, "text", []]) refuses(value, /not an object|not JSON/);
  assert.throws(() => readEnvelope(new Uint8Array([0x22, 0xff, 0x22]), DEFAULT_LIMITS), /not JSON in UTF-8/);
  refuses({ pad: "x".repeat(100) }, /at most|is the most/, { ...DEFAULT_LIMITS, maxEnvelopeBytes: 50 });
  const deep = `{"type":"call.responded","id":"1","payload":{"output":${"[".repeat(127)}${"]".repeat(127)}}}`;
  refuses(deep, /nested deeper than 128/);
  const input = { quoted: '[[[[{{{{"\\'.repeat(100) };
  assert.equal(read({ type: "call.requested", id: "1", payload: { operationId: "/a/b", input } }).id, "1");
});

test("type, id and payload are checked for every envelope", () => {
  refuses({ id: "1", payload: {} }, /type of an envelope is not a string/);
  for (const type of ["call.unheard-of", "", "constructor", "__proto__"]) {
    refuses({ type, id: "1", payload: {} }, /unknown to this protocol/);
  }
  for (const id of [undefined, null, 7, "", "x".repeat(129)]) {
    refuses({ type: "call.aborted", id, payload: {} }, /1 to 128 characters/);
  }
  for (const payload of [undefined, null, [], "text"]) {
    refuses({ type: "call.aborted", id: "1", payload }, /payload of a call.aborted is not an object/);
  }
});

test("the payload of an envelope is checked by its type", () => {
  const payloadOf = (type: string, payload: unknown) => ({ type, id: "1", payload });
  refuses(payloadOf("call.responded", {}), /has no output/);
  refuses(payloadOf("call.error", { code: "X", message: "m" }), /is not \{code, message, retryable/);
  refuses(payloadOf("call.error", { code: "", message: "m", retryable: true }), /is not \{code/);
  for (const n of [0, -1, 1.5, "1", null, 2 ** 31]) refuses(payloadOf("call.credit", { n }), /whole number/);
  refuses(payloadOf("connection.closed", {}), /has no reason/);
  assert.equal(
    read({ type: "connection.closed", id: "", payload: { reason: "" } }).type,
    "connection.closed",
  );
});

test("the fields of a request are checked, null means absent, and unknown fields are ignored", () => {
  const request = (payload: object) => ({ type: "call.requested", id: "1", payload });
  for (const operationId of [undefined, "", 7, "x".repeat(202)]) {
    refuses(request({ operationId }), /has no operationId/);
  }
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    stream: ["yes", 1],
    select: [7],
    authToken: [7, "x".repeat(16_385)],
    forwardedFor: [{}, "x".repeat(4_097)],
    deadlineMs: [-1, "soon"],
    hops: ["a", [7], Array(65).fill("a"), ["x".repeat(129)]],
    traceparent: [7],
    tracestate: [7],
  };
  for (const [key, values] of Object.entries(wrong)) {
    for (const value of values) {
      refuses(request({ operationId: "/a/b", [key]: value }), new RegExp(`has a wrong ${key}`));
    }
  }
  const nulls = Object.fromEntries(Object.keys(wrong).map((key) => [key, null]));
  assert.deepEqual(read(request({ operationId: "/a/b", input: null, ...nulls })).payload, {
    operationId: "/a/b",
    input: null,
  });
  assert.deepEqual(read(request({ operationId: "/a/b", future: [1] })).payload, {
    operationId: "/a/b",
    future: [1],
  });
});

test("the refusal of an envelope does not quote it", () => {
  const payload = { operationId: "/a/b", authToken: 7, input: "a-secret", select: {} };
  for (const value of [
    { type: "a-secret", id: "1", payload },
    { type: "call.requested", id: "1", payload },
  ]) {
    assert.throws(
      () => read(value),
      (error) => error instanceof ProtocolViolation && !error.message.includes("a-secret"),
    );
  }
});

test("the size of a text is that of its UTF-8", () => {
  assert.equal(isLargerThan("aaaa", 4), false);
  assert.equal(isLargerThan("aaaaa", 4), true);
  assert.equal(isLargerThan("üü", 4), false);
  assert.equal(isLargerThan("ü€", 4), true);
});
