import assert from "node:assert/strict";
import { test } from "node:test";
import { SILENT_LOG } from "../core/index.ts";
import type { Incoming, IncomingHeaders } from "./incoming.ts";
import { OutboundError, type OutboundErrorKind } from "./outbound-error.ts";
import type { Outgoing } from "./outgoing.ts";
import {
  decideRetry as decide,
  type OutboundRequest,
  parseRetryAfter,
  type RetryState,
  type SendPorts,
  send,
  type TryOutcome,
} from "./send.ts";

const url = "https://api.example/x?token=secret";

/** Sends to a service with scripted outcomes, and records the waits between them. */
function scripted(outcomes: readonly (Incoming | OutboundError)[], ports: Partial<SendPorts> = {}) {
  const waits: number[] = [];
  const sent: Outgoing[] = [];
  const all: SendPorts = {
    perform: async (request) => {
      const outcome = outcomes[sent.push(request) - 1] ?? assert.fail("one try too many");
      if (outcome instanceof OutboundError) throw outcome;
      return outcome;
    },
    tries: 3,
    delay: async (milliseconds) => void waits.push(milliseconds),
    random: () => 1,
    log: SILENT_LOG,
    ...ports,
  };
  const run = (request: Partial<OutboundRequest> = {}) =>
    send({ method: "POST", url, repeatable: true, ...request }, all);
  return { run, waits, sent };
}

function answer(status: number, headers: IncomingHeaders = {}, body: Incoming["body"] = undefined): Incoming {
  return { status, statusText: "", headers, body };
}

function failure(kind: OutboundErrorKind, mayHaveRun: boolean): OutboundError {
  return new OutboundError(kind, "It failed.", { mayHaveRun });
}

const OK = answer(200, { "x-a": "b" }, new TextEncoder().encode("hello"));

test("a response of send has a status, headers, and a body as bytes, text or stream", async () => {
  const { status, headers, body } = await scripted([OK]).run();
  assert.equal(status, 200);
  assert.equal(headers.get("x-a"), "b");
  assert.equal(await body.text(), "hello");
  await body.cancel();
  assert.deepEqual(await (await scripted([OK]).run()).body.bytes(), new TextEncoder().encode("hello"));
  assert.equal(await new Response((await scripted([OK]).run()).body.stream()).text(), "hello");
  const empty = await scripted([answer(204)]).run();
  assert.equal(await new Response(empty.body.stream()).text(), "");
  assert.equal(await empty.body.text(), "");
  await empty.body.cancel();
});

test("send retries transient failures with growing waits, and logs no secret", async () => {
  const logged: unknown[] = [];
  const log = { warn: (...entry: unknown[]) => logged.push(entry), error: () => {} };
  const { run, waits, sent } = scripted([failure("broken", true), answer(503), OK], { log });
  assert.equal((await run({ body: "again" })).status, 200);
  assert.deepEqual(waits, [250, 500]);
  assert.deepEqual(
    sent.map(({ body }) => body),
    ["again", "again", "again"],
  );
  assert.equal(logged.length, 2);
  assert.doesNotMatch(JSON.stringify(logged), /secret/);
});

test("send retries a request that is not repeatable only if nothing was sent", async () => {
  const refused = scripted([failure("refused", false), failure("timeout", false), OK]);
  assert.equal((await refused.run({ repeatable: false })).status, 200);
  const broken = scripted([failure("broken", true)]);
  await assert.rejects(broken.run({ repeatable: false }), { kind: "broken", mayHaveRun: true });
  assert.equal((await scripted([answer(503)]).run({ repeatable: false })).status, 503);
});

test("send gives up after the last attempt and returns its outcome", async () => {
  assert.equal((await scripted([answer(502), answer(503), answer(504)]).run()).status, 504);
  const refused = failure("refused", false);
  await assert.rejects(scripted([refused, refused, refused]).run(), (error) => error === refused);
  assert.equal((await scripted([answer(502)], { tries: 1 }).run()).status, 502);
});

test("an error of send says that an earlier attempt may have run", async () => {
  for (const first of [failure("broken", true), answer(504)]) {
    const { run } = scripted([first, failure("refused", false), failure("refused", false)]);
    await assert.rejects(run(), { kind: "refused", mayHaveRun: true });
  }
});

test("send waits as long as Retry-After says", async () => {
  const { run, waits } = scripted([answer(429, { "retry-after": "7" }), OK]);
  assert.equal((await run()).status, 200);
  assert.deepEqual(waits, [7000]);
});

test("a Retry-After beyond the deadline ends the call at once, and the error has the wait", async () => {
  for (const status of [429, 503]) {
    const { run, waits } = scripted([answer(status, { "retry-after": "30" })]);
    await assert.rejects(run({ deadline: performance.now() + 10_000 }), {
      kind: "rate-limited",
      retryAfterMs: 30_000,
      message: `https://api.example answered ${status} and asks to wait. Wait 30 s before the next try.`,
    });
    assert.deepEqual(waits, []);
  }
});

test("a second Retry-After ends the call at once, and the error has the wait", async () => {
  const busy = answer(429, { "retry-after": "7" });
  const { run, waits } = scripted([busy, busy]);
  await assert.rejects(run(), { kind: "rate-limited", retryAfterMs: 7_000 });
  assert.deepEqual(waits, [7_000]);
});

test("a final 429 is an error, with or without Retry-After", async () => {
  const limited = scripted([answer(429)]);
  await assert.rejects(limited.run({ repeatable: false }), { kind: "rate-limited", mayHaveRun: false });
  const date = new Date(Date.now() + 120_000).toUTCString();
  await assert.rejects(scripted([answer(429, { "retry-after": date })]).run(), (error) => {
    assert.ok(error instanceof OutboundError && error.retryAfterMs !== undefined);
    assert.ok(Math.abs(error.retryAfterMs - 120_000) <= 2_000);
    return true;
  });
});

test("keepAnswer returns a 429 as a response", async () => {
  const busy = answer(429, { "retry-after": "1" }, new TextEncoder().encode("busy"));
  const kept = await scripted([busy]).run({ repeatable: false, keepAnswer: true });
  assert.deepEqual([kept.status, await kept.body.text()], [429, "busy"]);
});

test("send does not wait longer than the deadline allows", async () => {
  const { run, waits } = scripted([failure("refused", false)]);
  await assert.rejects(run({ deadline: performance.now() + 100 }), { kind: "refused" });
  assert.deepEqual(waits, []);
});

test("a request with a stream as its body is sent once", async () => {
  const { run } = scripted([failure("refused", false)]);
  await assert.rejects(run({ body: new ReadableStream() }), { kind: "refused" });
});

test("send cancels the responses of earlier attempts", async () => {
  let cancelled = 0;
  const busy = () => answer(503, {}, new ReadableStream({ cancel: () => void cancelled++ }));
  const { run } = scripted([
    busy(),
    busy(),
    answer(429, {}, new ReadableStream({ cancel: () => void cancelled++ })),
  ]);
  await assert.rejects(run(), { kind: "rate-limited" });
  assert.equal(cancelled, 3);
});

test("an abort ends the wait of send, and unexpected errors pass unchanged", async () => {
  const aborting = new AbortController();
  const delay = async () => {
    aborting.abort();
    throw new Error("aborted");
  };
  const { run } = scripted([failure("broken", true)], { delay });
  await assert.rejects(run({ signal: aborting.signal }), { kind: "aborted", mayHaveRun: true });
  const timedOut = scripted([failure("timeout", true)]);
  await assert.rejects(timedOut.run({ signal: AbortSignal.abort() }), { kind: "timeout" });
  assert.deepEqual(timedOut.waits, []);
  const fault = new TypeError("a fault of ours");
  const perform = () => Promise.reject(fault);
  await assert.rejects(scripted([], { perform }).run(), (error) => error === fault);
});

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
    "that is within the time that we would wait",
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

test("Retry-After in the past means no wait, and at most ten minutes", () => {
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 11:00:00 GMT", NOW), 0);
  assert.equal(parseRetryAfter("999999999999", NOW), 600_000);
  assert.equal(parseRetryAfter("Fri, 01 Mar 2030 12:00:00 GMT", NOW), 600_000);
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
