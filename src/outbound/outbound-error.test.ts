import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../core/index.ts";
import {
  abortedBy,
  OutboundError,
  type OutboundErrorKind,
  toCallError,
  toOutboundError,
} from "./outbound-error.ts";

const origin = "https://api.example";

function describe(code: string | undefined, sent: boolean): string {
  const thrown = Object.assign(new Error("secret"), code === undefined ? {} : { code });
  const { kind, happened, mayHaveRun, cause } = toOutboundError(thrown, { origin, sent });
  assert.equal(cause, thrown);
  assert.equal(mayHaveRun, sent);
  return `${kind}: ${happened}`;
}

test("a failure before anything is sent is `refused`, and the code says why", () => {
  assert.equal(
    describe("ECONNREFUSED", false),
    "refused: No connection to https://api.example could be made (ECONNREFUSED).",
  );
  assert.equal(
    describe("EAI_AGAIN", false),
    "refused: The name in https://api.example is not known to the name service (EAI_AGAIN).",
  );
  for (const code of [
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  ]) {
    assert.equal(
      describe(code, false),
      `refused: The certificate of https://api.example is not trusted (${code}).`,
    );
  }
  assert.match(describe("ETIMEDOUT", false), /^timeout: .* did not accept a connection in time/);
});

test("a failure after the request was sent is `broken`, whatever the code", () => {
  for (const code of ["ECONNRESET", "UND_ERR_SOCKET", "EPIPE", "ETIMEDOUT", "HPE_INVALID_CONSTANT"]) {
    assert.equal(
      describe(code, true),
      `broken: The connection to https://api.example broke midway (${code}).`,
    );
  }
});

test("a failure quotes the error code only if it looks like one", () => {
  assert.match(describe(undefined, true), /\(no code\)/);
  assert.match(describe("secret token", true), /\(no code\)/);
  assert.equal(toOutboundError("secret", { origin, sent: true }).kind, "broken");
  const own = new OutboundError("too-large", "Too large.");
  assert.equal(toOutboundError(own, { origin, sent: true }), own);
});

test("an abort because of a deadline is a timeout", () => {
  const kindOf = (reason?: unknown) => abortedBy(AbortSignal.abort(reason), { origin, sent: true }).kind;
  assert.equal(kindOf(), "aborted");
  assert.equal(kindOf("any reason"), "aborted");
  assert.equal(kindOf(new CallError("ABORTED", "gone")), "aborted");
  assert.equal(kindOf(new CallError("TIMEOUT", "late")), "timeout");
  assert.equal(kindOf(new DOMException("late", "TimeoutError")), "timeout");
});

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
