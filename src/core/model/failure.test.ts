import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceOn, FAILURES, type FailureKind, isRetryable } from "./failure.ts";

const KINDS = Object.keys(FAILURES) as FailureKind[];

test("a failed request that may have run is retryable only if the other side asked to wait", () => {
  const retryable = (mayHaveRun: boolean) => KINDS.filter((kind) => isRetryable({ kind, mayHaveRun }));
  assert.deepEqual(retryable(true), ["rate-limited"]);
  assert.deepEqual(retryable(false), [
    "refused",
    "timeout",
    "broken",
    "rate-limited",
    "server-error",
    "session-lost",
  ]);
});

test("the advice on a retryable failure that may have run warns before a repeat", () => {
  for (const kind of KINDS.filter((each) => isRetryable({ kind: each, mayHaveRun: false }))) {
    const advice = adviceOn({ kind, mayHaveRun: true });
    assert.match(advice, kind === "rate-limited" ? /^Wait/ : /may have taken effect/, kind);
  }
});

test("the advice on a rate limit names the wait in whole seconds", () => {
  assert.equal(
    adviceOn({ kind: "rate-limited", mayHaveRun: true, retryAfterMs: 1_200 }),
    "Wait 2 s before the next try.",
  );
  assert.equal(adviceOn({ kind: "rate-limited", mayHaveRun: false }), "Wait a while before the next try.");
});
