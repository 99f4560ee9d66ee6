import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRetryAfter } from "./retry-after.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

test("Retry-After is read as seconds or as a date", () => {
  assert.equal(parseRetryAfter("0", NOW), 0);
  assert.equal(parseRetryAfter(" 120 ", NOW), 120_000);
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 12:00:30 GMT", NOW), 30_000);
  assert.equal(parseRetryAfter("Sunday, 01-Mar-26 12:00:30 GMT", NOW), 30_000);
});

test("a date in the past is no wait, and no wait is longer than a day", () => {
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 11:00:00 GMT", NOW), 0);
  assert.equal(parseRetryAfter("999999999999", NOW), 86_400_000);
  assert.equal(parseRetryAfter("Fri, 01 Mar 2030 12:00:00 GMT", NOW), 86_400_000);
});

test("what is neither is ignored", () => {
  for (const text of [
    undefined,
    "",
    "soon",
    "-1",
    "1.5",
    "2026-03-01",
    "9".repeat(40),
    "Foo, 99 Bar 2026 25:00:00 GMT",
  ]) {
    assert.equal(parseRetryAfter(text, NOW), undefined, text);
  }
});
