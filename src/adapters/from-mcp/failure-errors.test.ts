import assert from "node:assert/strict";
import { test } from "node:test";
import { ProtocolError, UnauthorizedError } from "@modelcontextprotocol/client";
import { OutboundError } from "../../outbound/index.ts";
import { toFailure, type UpstreamFailure, type UpstreamFailureKind } from "./failure.ts";
import { toCallerError, toImportError } from "./failure-errors.ts";

const failure = (kind: UpstreamFailureKind, more: Partial<UpstreamFailure> = {}): UpstreamFailure => ({
  kind,
  reason: "it answered with HTTP 500",
  neverRan: false,
  isPassing: false,
  sessionLost: false,
  cause: undefined,
  ...more,
});

const told = (found: UpstreamFailure, isRepeatable = false) => {
  const { code, message, retryable, details } = toCallerError(found, { name: "up/x", isRepeatable });
  return details === undefined ? [code, retryable, message] : [code, retryable, message, details];
};

const CHECK = "The request may have taken effect: check before you repeat it.";

test("a call that may have run is not to be repeated blindly, a harmless one may be tried again", () => {
  for (const [kind, code, happened] of [
    ["broken", "UNAVAILABLE", "The answer of up/x ended before it was complete."],
    ["server-error", "UNAVAILABLE", "The server behind up/x failed: it answered with HTTP 500."],
  ] as const) {
    assert.deepEqual(told(failure(kind)), [code, false, `${happened} ${CHECK}`]);
    assert.deepEqual(told(failure(kind), true), [code, true, `${happened} Try again later.`]);
  }
  const late = "up/x did not answer in time.";
  assert.deepEqual(told(failure("timeout")), ["TIMEOUT", false, `${late} ${CHECK} Or allow more time.`]);
  assert.deepEqual(told(failure("timeout"), true), [
    "TIMEOUT",
    true,
    `${late} Try again later, or allow more time.`,
  ]);
});

test("a call that never ran may be tried again", () => {
  const found = { neverRan: true, reason: "it answered with HTTP 404" };
  assert.deepEqual(told(failure("session-lost", found)), [
    "UNAVAILABLE",
    true,
    "The server behind up/x does not keep its sessions: it answered with HTTP 404. Try again later.",
  ]);
  assert.deepEqual(told(failure("broken", found)), [
    "UNAVAILABLE",
    true,
    "The connection to the server behind up/x was ended. Try again later.",
  ]);
  assert.deepEqual(told(failure("timeout", found)), [
    "UNAVAILABLE",
    true,
    "The server behind up/x does not answer. Try again later, or allow more time.",
  ]);
});

test("a failure that only the operator can fix is not to be tried again", () => {
  const unauthorized =
    "The server behind up/x refused the gateway's credential. Tell the operator of this gateway; trying again does not help.";
  assert.deepEqual(told(failure("unauthorized")), ["UNAUTHORIZED_UPSTREAM", false, unauthorized]);
  const garbage = "The server behind up/x answered with something that is not MCP.";
  const tell = "Tell the operator of this gateway.";
  assert.deepEqual(told(failure("invalid-answer")), ["UNAVAILABLE", false, `${garbage} ${CHECK} ${tell}`]);
  assert.deepEqual(told(failure("invalid-answer"), true), ["UNAVAILABLE", false, `${garbage} ${tell}`]);
});

test("a failure on the way says what the outbound client says", () => {
  const cause = new OutboundError("rate-limited", "It is busy.", { retryAfterMs: 2_000 });
  assert.deepEqual(told(failure("rate-limited", { cause, neverRan: true })), [
    "RATE_LIMITED",
    true,
    "The service behind up/x asks to wait. Wait 2 s before the next try.",
    { retryAfterMs: 2_000 },
  ]);
  const broken = new OutboundError("broken", "It broke.", { mayHaveRun: true });
  assert.deepEqual(told(failure("broken", { cause: broken })).slice(0, 2), ["UNAVAILABLE", false]);
  assert.deepEqual(told(failure("broken", { cause: broken }), true).slice(0, 2), ["UNAVAILABLE", true]);
});

test("errors of the protocol keep their meaning", () => {
  const because = (code: number) =>
    failure("protocol", { cause: new ProtocolError(code, "no"), reason: "no" });
  const needs = "up/x needs something of its client that a gateway cannot offer: no";
  assert.deepEqual(told(because(-32602)), ["INVALID_INPUT", false, "up/x refused the input: no"]);
  assert.deepEqual(told(because(-32002)), ["INVALID_INPUT", false, "up/x refused the input: no"]);
  assert.deepEqual(told(because(-32021)), ["INVALID_OPERATION_TYPE", false, needs]);
  assert.deepEqual(told(because(-32042)), ["INVALID_OPERATION_TYPE", false, needs]);
  assert.deepEqual(told(because(-32603)), [
    "MCP_TOOL_ERROR",
    false,
    "up/x failed: no",
    { protocolCode: -32603 },
  ]);
});

test("an operator without a credential is told to set one, not that it was refused", () => {
  const failure = toFailure(new UnauthorizedError("no"));
  const told = (hasCredential: boolean, advice?: string) =>
    toImportError(failure, { url: "https://example.com/mcp", hasCredential, advice }).message;
  assert.equal(
    told(true),
    "https://example.com/mcp refused the credential. Set or renew the source's token.",
  );
  assert.equal(
    told(false),
    "https://example.com/mcp requires a credential, and none is configured. Set the source's token, or oauth if people sign in there.",
  );
  assert.match(told(false, "Set sources.a.credentials.discovery."), /none is configured\. Set sources\.a\./);
});
