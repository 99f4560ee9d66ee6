import assert from "node:assert/strict";
import { test } from "node:test";
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { OutboundError } from "../../outbound/index.ts";
import { type FailureSite, toFailure, type UpstreamFailure } from "./failure.ts";
import { UNANSWERED } from "./transport.ts";

const http = (status: number, text = "") =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
    status,
    text,
  });
const rpc = (code: number) => JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message: "no" } });
const wrapped = (cause: Error) =>
  new SdkError(
    SdkErrorCode.EraNegotiationFailed,
    "probe failed",
    {},
    { cause: new Error("fetch", { cause }) },
  );

const LEGACY: FailureSite = { hasSession: true };
const MODERN: FailureSite = { hasSession: false };

/** What is thrown, by whom, and what it is: its kind and whether it never ran, is passing, loses the session. */
const CASES: readonly (readonly [string, unknown, FailureSite, UpstreamFailure["kind"], string])[] = [
  ["a lost session", http(404), LEGACY, "session-lost", "never ran, passing, session lost"],
  [
    "a lost session, as some say it",
    http(400, "gone"),
    LEGACY,
    "session-lost",
    "never ran, passing, session lost",
  ],
  [
    "an old server where a new one was",
    http(400, rpc(-32000)),
    MODERN,
    "session-lost",
    "never ran, passing, session lost",
  ],
  [
    "a revision that is not spoken",
    new ProtocolError(-32022, "no"),
    MODERN,
    "session-lost",
    "never ran, passing, session lost",
  ],
  ["a 400 that is not MCP", http(400, "<p>no</p>"), MODERN, "invalid-answer", "session lost"],
  ["400 about the request", http(400, rpc(-32602)), LEGACY, "protocol", ""],
  [
    "400 of a session that is unknown",
    http(400, rpc(-32600)),
    LEGACY,
    "session-lost",
    "never ran, passing, session lost",
  ],
  ["400 of a tool that broke", http(400, rpc(-32603)), LEGACY, "protocol", ""],
  ["400 with an error of the tool's own", http(400, rpc(17)), LEGACY, "protocol", ""],
  ["404 with an error of the tool's own", http(404, rpc(-1)), MODERN, "protocol", ""],
  ["400 that wants a page to be visited", http(400, rpc(-32042)), LEGACY, "protocol", ""],
  ["404 about the method", http(404, rpc(-32601)), MODERN, "protocol", ""],
  ["404 while connecting", http(404), {}, "invalid-answer", "session lost"],
  ["another status", http(418), LEGACY, "invalid-answer", "never ran"],
  ["a failing server", http(502), LEGACY, "server-error", ""],
  ["401", http(401), MODERN, "unauthorized", "never ran"],
  ["403", http(403), LEGACY, "unauthorized", "never ran"],
  ["a token that is refused", new UnauthorizedError(), MODERN, "unauthorized", "never ran"],
  [
    "a token that may too little",
    new InsufficientScopeError({ requiredScope: "x" } as never),
    MODERN,
    "unauthorized",
    "never ran",
  ],
  ["no connection", new OutboundError("refused", "No."), MODERN, "refused", "never ran"],
  [
    "no connection, deep inside",
    wrapped(new OutboundError("refused", "No.")),
    MODERN,
    "refused",
    "never ran",
  ],
  [
    "a broken connection",
    new OutboundError("broken", "No.", { mayHaveRun: true }),
    MODERN,
    "broken",
    "passing",
  ],
  ["a request to wait", new OutboundError("rate-limited", "No."), MODERN, "rate-limited", "never ran"],
  ["no answer", new ProtocolError(UNANSWERED, "no"), LEGACY, "broken", "passing"],
  [
    "no answer, for a known reason",
    new ProtocolError(UNANSWERED, "no", new OutboundError("too-large", "No.", { mayHaveRun: true })),
    LEGACY,
    "too-large",
    "",
  ],
  ["an error of the protocol", new ProtocolError(-32603, "no"), LEGACY, "protocol", ""],
  ["a timeout", new SdkError(SdkErrorCode.RequestTimeout, "no"), LEGACY, "timeout", ""],
  ["a connection that we ended", new SdkError(SdkErrorCode.ConnectionClosed, "no"), LEGACY, "broken", ""],
  [
    "a result that is not valid",
    new SdkError(SdkErrorCode.InvalidResult, "no"),
    LEGACY,
    "invalid-answer",
    "",
  ],
  ["invalid JSON", new SyntaxError("Unexpected token"), LEGACY, "invalid-answer", ""],
  ["no error at all", "thrown text", LEGACY, "invalid-answer", ""],
];

for (const [title, error, site, kind, consequences] of CASES) {
  test(`${title} is recognised`, () => {
    const failure = toFailure(error, site);
    const found = [
      failure.neverRan && "never ran",
      failure.isPassing && "passing",
      failure.sessionLost && "session lost",
    ].filter(Boolean);
    assert.deepEqual([failure.kind, found.join(", ")], [kind, consequences]);
  });
}

test("the reason of a failure is one line, whatever a server or a library writes", () => {
  const { reason } = toFailure(
    new SdkError(SdkErrorCode.InvalidResult, 'Invalid: [\n  {\n    "path": []\n  }\n]'),
  );
  assert.equal(reason, 'Invalid: [ { "path": [] } ]');
});

test("the reason of a failure is short, names only the status of a response, and never the credential", () => {
  const token = "secret-token";
  assert.equal(toFailure(http(500, `you sent ${token}`), { token }).reason, "it answered with HTTP 500");
  const protocol = new ProtocolError(-32603, `Bearer ${token} is unknown to ${"x".repeat(1_000)}`);
  const { reason } = toFailure(protocol, { token });
  assert.match(reason, /^Bearer \[redacted\] is unknown to x+…$/);
  assert.equal(reason.length, 500);
  assert.equal(toFailure(http(400, rpc(-32602)), LEGACY).reason, "no");
});
