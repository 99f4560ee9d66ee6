import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRetry as decide, parseRetryAfter, type RetryState, type TryOutcome } from "./retry.ts";

function state(changes: Partial<RetryState> = {}): RetryState {
  const first = { made: 1, tries: 3, hasWaited: false, tookMs: 0 };
  return { ...first, repeatable: true, remainingMs: undefined, random: 1, ...changes };
}

function decideRetry(outcome: TryOutcome, given: RetryState): number | undefined {
  return decide(outcome, given)?.milliseconds;
}

test("waits between attempts double, have jitter of one half, and are limited", () => {
  const broken = { kind: "broken", mayHaveRun: true } as const;
  const tries = 20;
  assert.equal(decideRetry(broken, state()), 250);
  assert.equal(decideRetry(broken, state({ made: 2 })), 500);
  assert.equal(decideRetry(broken, state({ made: 2, random: 0 })), 250);
  assert.equal(decideRetry(broken, state({ made: 12, tries })), 8000);
  assert.equal(decideRetry(broken, state({ made: 3 })), undefined);
});

test("a request that is not repeatable is retried only if nothing was sent", () => {
  const once = state({ repeatable: false });
  assert.equal(decideRetry({ kind: "refused", mayHaveRun: false }, once), 250);
  assert.equal(decideRetry({ kind: "timeout", mayHaveRun: false }, once), 250);
  assert.equal(decideRetry({ kind: "timeout", mayHaveRun: true }, once), undefined);
  assert.equal(decideRetry({ kind: "broken", mayHaveRun: true }, once), undefined);
  for (const status of [429, 502, 503, 504]) assert.equal(decideRetry({ status }, once), undefined);
});

test("only transient failures are retried", () => {
  for (const status of [429, 502, 503, 504]) assert.equal(decideRetry({ status }, state()), 250);
  for (const status of [200, 400, 401, 404, 500, 501]) {
    assert.equal(decideRetry({ status }, state()), undefined);
  }
  for (const kind of ["aborted", "too-large", "address-forbidden", "redirect-forbidden"] as const) {
    assert.equal(decideRetry({ kind }, state()), undefined);
  }
});

test("a retry never comes before Retry-After, nor after the deadline", () => {
  const limited = { status: 429, retryAfterMs: 5000 };
  assert.equal(decideRetry(limited, state()), 5000);
  assert.equal(decideRetry(limited, state({ remainingMs: 6000 })), 5000);
  assert.equal(decideRetry(limited, state({ remainingMs: 5000 })), undefined);
  assert.equal(decideRetry({ status: 429, retryAfterMs: 10 }, state()), 250);
  assert.equal(decideRetry({ status: 429, retryAfterMs: 120_000 }, state()), undefined);
  assert.equal(decideRetry({ kind: "refused" }, state({ remainingMs: 250 })), undefined);
  assert.equal(
    decideRetry(limited, state({ remainingMs: 6000, tookMs: 1000 })),
    undefined,
    "no time for the try",
  );
});

test("Retry-After is honoured once per call, not a second time", () => {
  const again = state({ made: 2, hasWaited: true });
  assert.equal(decideRetry({ status: 429, retryAfterMs: 5000 }, again), undefined);
  assert.equal(
    decideRetry({ status: 429, retryAfterMs: 10 }, again),
    500,
    "that is no more than we would wait",
  );
  assert.equal(decideRetry({ status: 503 }, again), 500);
});

const NOW = Date.parse("2026-03-01T12:00:00Z");

test("Retry-After is read as seconds or as a date", () => {
  assert.equal(parseRetryAfter("0", NOW), 0);
  assert.equal(parseRetryAfter(" 120 ", NOW), 120_000);
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 12:00:30 GMT", NOW), 30_000);
  assert.equal(parseRetryAfter("Sunday, 01-Mar-26 12:00:30 GMT", NOW), 30_000);
});

test("Retry-After in the past means no wait, and at most a day", () => {
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 11:00:00 GMT", NOW), 0);
  assert.equal(parseRetryAfter("999999999999", NOW), 86_400_000);
  assert.equal(parseRetryAfter("Fri, 01 Mar 2030 12:00:00 GMT", NOW), 86_400_000);
});

test("Retry-After that is neither seconds nor a date is ignored", () => {
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
