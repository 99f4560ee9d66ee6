import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRetry as decide, type RetryState, type TryOutcome } from "./retry.ts";

function state(changes: Partial<RetryState> = {}): RetryState {
  const first = { made: 1, tries: 3, hasWaited: false, tookMs: 0 };
  return { ...first, repeatable: true, remainingMs: undefined, random: 1, ...changes };
}

function decideRetry(outcome: TryOutcome, given: RetryState): number | undefined {
  return decide(outcome, given)?.milliseconds;
}

test("waits double, are spread by half, and have an end", () => {
  const broken = { kind: "broken", mayHaveRun: true } as const;
  const tries = 20;
  assert.equal(decideRetry(broken, state()), 250);
  assert.equal(decideRetry(broken, state({ made: 2 })), 500);
  assert.equal(decideRetry(broken, state({ made: 2, random: 0 })), 250);
  assert.equal(decideRetry(broken, state({ made: 12, tries })), 8000);
  assert.equal(decideRetry(broken, state({ made: 3 })), undefined);
});

test("a request that must not run twice is tried again only if nothing of it was sent", () => {
  const once = state({ repeatable: false });
  assert.equal(decideRetry({ kind: "refused", mayHaveRun: false }, once), 250);
  assert.equal(decideRetry({ kind: "timeout", mayHaveRun: false }, once), 250);
  assert.equal(decideRetry({ kind: "timeout", mayHaveRun: true }, once), undefined);
  assert.equal(decideRetry({ kind: "broken", mayHaveRun: true }, once), undefined);
  for (const status of [429, 502, 503, 504]) assert.equal(decideRetry({ status }, once), undefined);
});

test("only what may pass is tried again", () => {
  for (const status of [429, 502, 503, 504]) assert.equal(decideRetry({ status }, state()), 250);
  for (const status of [200, 400, 401, 404, 500, 501]) {
    assert.equal(decideRetry({ status }, state()), undefined);
  }
  for (const kind of ["aborted", "too-large", "address-forbidden", "redirect-forbidden"] as const) {
    assert.equal(decideRetry({ kind }, state()), undefined);
  }
});

test("the next try never comes before the service wants it, nor after the deadline", () => {
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

test("a service is waited for once as long as it asks, and not a second time", () => {
  const again = state({ made: 2, hasWaited: true });
  assert.equal(decideRetry({ status: 429, retryAfterMs: 5000 }, again), undefined);
  assert.equal(
    decideRetry({ status: 429, retryAfterMs: 10 }, again),
    500,
    "that is no more than we would wait",
  );
  assert.equal(decideRetry({ status: 503 }, again), 500);
});
