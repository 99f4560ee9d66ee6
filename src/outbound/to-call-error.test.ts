import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../core/index.ts";
import { OutboundError, type OutboundErrorKind } from "./outbound-error.ts";
import { toCallError } from "./to-call-error.ts";

function codeOf(kind: OutboundErrorKind, mayHaveRun: boolean, repeatable = false): string {
  const { code, retryable } = toCallError(
    new OutboundError(kind, "It failed.", { mayHaveRun }),
    "pets/list",
    {
      repeatable,
    },
  );
  return `${code} ${retryable ? "again" : "stop"}`;
}

test("each kind of outbound error has its code, and is not retryable if it may have run", () => {
  assert.equal(codeOf("refused", false), "UNAVAILABLE again");
  assert.equal(codeOf("address-forbidden", false), "UNAVAILABLE stop");
  assert.equal(codeOf("redirect-forbidden", true), "UNAVAILABLE stop");
  assert.equal(codeOf("invalid-request", false), "INVALID_INPUT stop");
  assert.equal(codeOf("timeout", false), "TIMEOUT again");
  assert.equal(codeOf("timeout", true), "TIMEOUT stop");
  assert.equal(codeOf("aborted", true), "ABORTED stop");
  assert.equal(codeOf("too-large", true), "RESULT_TOO_LARGE stop");
  assert.equal(codeOf("broken", true), "UNAVAILABLE stop");
  assert.equal(codeOf("rate-limited", false), "RATE_LIMITED again");
});

test("a repeatable operation is retryable even if it may have run", () => {
  assert.equal(codeOf("timeout", true, true), "TIMEOUT again");
  assert.equal(codeOf("broken", true, true), "UNAVAILABLE again");
  assert.equal(codeOf("too-large", true, true), "RESULT_TOO_LARGE stop");
  assert.equal(codeOf("redirect-forbidden", true, true), "UNAVAILABLE stop");
});

test("the message of an outbound error names the operation, what happened and what to do, but not the address", () => {
  const error = new OutboundError(
    "broken",
    "The connection to https://api.example broke midway (ECONNRESET).",
    {
      mayHaveRun: true,
    },
  );
  const called = toCallError(error, "pets/add");
  assert.ok(called instanceof CallError);
  assert.equal(called.cause, error);
  assert.equal(
    called.message,
    "The connection to the service behind pets/add broke. The request may have taken effect: check before you repeat it.",
  );
  assert.equal(
    toCallError(error, "pets/list", { repeatable: true }).message,
    "The connection to the service behind pets/list broke. Try again later.",
  );
});

test("the wait of a rate-limited call is in the message and in the details", () => {
  const happened = "https://api.example answered 429 and asks to wait.";
  const error = toCallError(new OutboundError("rate-limited", happened, { retryAfterMs: 1500 }), "pets/list");
  assert.equal(error.message, "The service behind pets/list asks to wait. Wait 2 s before the next try.");
  assert.deepEqual(error.details, { retryAfterMs: 1500 });
  assert.match(
    toCallError(new OutboundError("rate-limited", happened), "pets/list").message,
    /Wait a while before/,
  );
});
