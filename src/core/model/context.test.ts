import assert from "node:assert/strict";
import { test } from "node:test";
import { openSpan, parseTrace, traceOf } from "./context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const traceparent = `00-${TRACE}-${SPAN}-01`;

test("a valid traceparent is read as it came, with its state", () => {
  assert.deepEqual(parseTrace(traceparent), { traceparent });
  assert.deepEqual(parseTrace(traceparent, "a=1"), { traceparent, tracestate: "a=1" });
  assert.deepEqual(parseTrace(`01-${TRACE}-${SPAN}-01-later`), {
    traceparent: `01-${TRACE}-${SPAN}-01-later`,
  });
});

test("a trace that breaks the rules of W3C Trace Context is ignored", () => {
  for (const wrong of [
    undefined,
    7,
    "",
    "00-short-00f067aa0ba902b7-01",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    traceparent.toUpperCase(),
  ]) {
    assert.equal(parseTrace(wrong), undefined, String(wrong));
  }
  assert.deepEqual(parseTrace(traceparent, "x".repeat(513)), { traceparent });
});

test("a span is a child of the one that came, in the same trace, and sampled like it", () => {
  const span = openSpan({ traceparent: `00-${TRACE}-${SPAN}-00`, tracestate: "a=1" });
  assert.equal(span.traceId, TRACE);
  assert.equal(span.parentSpanId, SPAN);
  assert.equal(span.sampled, false);
  assert.match(span.spanId, /^[0-9a-f]{16}$/);
  assert.notEqual(span.spanId, SPAN);
  assert.deepEqual(traceOf(span, { traceparent, tracestate: "a=1" }), {
    traceparent: `00-${TRACE}-${span.spanId}-00`,
    tracestate: "a=1",
  });
});

test("a call without a trace begins a new one", () => {
  const [one, other] = [openSpan(undefined), openSpan(undefined)];
  assert.match(traceOf(one, undefined).traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  assert.notEqual(one.traceId, other.traceId);
  assert.equal(one.parentSpanId, undefined);
});

test("nothing that could not stand in a header, or that goes on and on, is taken for a trace", () => {
  const parent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const later = parent.replace("00", "01");
  assert.deepEqual(parseTrace(`${later}-more`), { traceparent: `${later}-more` });
  for (const broken of [`${parent}-more`, `${parent}-`, `${later}-${"x".repeat(5_000)}`, `${later}-\u0007`])
    assert.equal(parseTrace(broken), undefined, broken);
  for (const state of ["a=1\r\nx: y", "a=\u00e9", "x".repeat(513)])
    assert.deepEqual(parseTrace(parent, state), { traceparent: parent }, state);
});
