import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../core/index.ts";
import { abortedBy, toOutboundError } from "./failure.ts";
import { OutboundError } from "./outbound-error.ts";

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
