import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallErrorJson } from "pinhole/core";
import { type Era, importUpstream, SOON_MS } from "../support/scripted-upstream/index.ts";

const ERAS: readonly Era[] = ["modern", "legacy"];
const CHECK = "The request may have taken effect: check before you repeat it.";
const LATER = "Try again later.";

/** A call that goes wrong, and everything that must be so afterwards. */
interface Fault {
  readonly title: string;
  readonly tool: string;
  readonly input?: object;
  readonly error: Omit<CallErrorJson, "message"> & { readonly message: string | RegExp };
  /** How often the tool has run. */
  readonly runs?: number;
  readonly eras?: readonly Era[];
  readonly outputValidation?: "enforce";
}

const unavailable = (message: string | RegExp, retryable: boolean) =>
  ({ code: "UNAVAILABLE", message, retryable }) as const;

const FAULTS: readonly Fault[] = [
  {
    title: "a connection that breaks before the first byte fails at once, and a mutation is not run again",
    tool: "dies_before",
    error: unavailable(
      /^The connection to the service behind up\/dies_before broke\. .*check before you repeat it\.$/,
      false,
    ),
  },
  {
    title: "a connection that breaks before the first byte is tried once more for what only reads",
    tool: "dies_before_read",
    error: unavailable(
      /^The connection to the service behind up\/dies_before_read broke\. Try again later\.$/,
      true,
    ),
    runs: 2,
  },
  {
    title: "a stream that dies half-way fails at once, and a mutation is not run again",
    tool: "dies_midway",
    error: unavailable(`The answer of up/dies_midway ended before it was complete. ${CHECK}`, false),
  },
  {
    title: "a stream that dies half-way is tried once more for what only reads",
    tool: "dies_midway_read",
    error: unavailable(`The answer of up/dies_midway_read ended before it was complete. ${LATER}`, true),
    runs: 2,
  },
  {
    title: "a stream that ends in good order without an answer fails at once",
    tool: "ends_midway",
    error: unavailable(`The answer of up/ends_midway ended before it was complete. ${CHECK}`, false),
  },
  {
    title: "invalid JSON is said not to be MCP",
    tool: "no_json",
    error: unavailable(
      `The server behind up/no_json answered with something that is not MCP. ${CHECK} Tell the operator of this gateway.`,
      false,
    ),
  },
  {
    title: "a web page is said not to be MCP",
    tool: "html",
    error: unavailable(
      `The server behind up/html answered with something that is not MCP. ${CHECK} Tell the operator of this gateway.`,
      false,
    ),
  },
  {
    title: "a result of the wrong shape is said not to be MCP",
    tool: "no_result",
    error: unavailable(
      `The server behind up/no_result answered with something that is not MCP. ${CHECK} Tell the operator of this gateway.`,
      false,
    ),
  },
  {
    title: "an event that is no JSON is no answer",
    tool: "no_json_event",
    error: unavailable(`The answer of up/no_json_event ended before it was complete. ${CHECK}`, false),
  },
  {
    title: "an empty answer fails at once, not at the timeout",
    tool: "no_answer",
    error: unavailable(`The answer of up/no_answer ended before it was complete. ${CHECK}`, false),
  },
  {
    title: "the answer to another request fails at once, not at the timeout",
    tool: "other_answer",
    error: unavailable(`The answer of up/other_answer ended before it was complete. ${CHECK}`, false),
  },
  {
    title: "10 MB are more than the limit, and the message says how to get less",
    tool: "big",
    input: { bytes: 10_000_000 },
    error: {
      code: "RESULT_TOO_LARGE",
      message:
        /^The output of up\/big is larger than 1048576 bytes\. The operation has run: .* Pass select .* or narrow the input\.$/,
      retryable: false,
      details: { limitBytes: 1_048_576, shape: { content: "array of 1" } },
    },
  },
  {
    title: "10 MB in one event are more than the limit",
    tool: "big_stream",
    input: { bytes: 10_000_000 },
    error: {
      code: "RESULT_TOO_LARGE",
      message: /^The output of up\/big_stream is larger than 1048576 bytes\./,
      retryable: false,
      details: { limitBytes: 1_048_576, shape: { content: "array of 1" } },
    },
  },
  {
    title: "20 MB are not even read",
    tool: "big",
    input: { bytes: 20_000_000 },
    error: {
      code: "RESULT_TOO_LARGE",
      message: /^The answer of the service behind up\/big is larger than this gateway takes\. Ask for less/,
      retryable: false,
    },
  },
  {
    title: "20 MB in one event are not even read",
    tool: "big_stream",
    input: { bytes: 20_000_000 },
    error: {
      code: "RESULT_TOO_LARGE",
      message:
        /^The answer of the service behind up\/big_stream is larger than this gateway takes\. Ask for less/,
      retryable: false,
    },
  },
  {
    title: "data that does not fit the declared schema is refused where that is enforced",
    tool: "wrong",
    outputValidation: "enforce",
    error: {
      code: "OUTPUT_INVALID",
      message:
        "up/wrong answered with something that does not fit its output schema. The operation has run: do not simply repeat it. Tell its owner, or the operator of this gateway.",
      retryable: false,
      details: { problems: [{ path: "/count", expected: "integer", actual: '"three"' }] },
    },
  },
  {
    title: "content where data was declared is refused where that is enforced",
    tool: "not_structured",
    outputValidation: "enforce",
    error: {
      code: "OUTPUT_INVALID",
      message: /^up\/not_structured answered with something that does not fit its output schema\./,
      retryable: false,
      details: {
        problems: [{ path: "/count", expected: "integer (required)", actual: "nothing" }],
      },
    },
  },
  {
    title: "a tool that says it failed is quoted, with its content in the details",
    tool: "fails",
    error: {
      code: "MCP_TOOL_ERROR",
      message: "up/fails failed: The disk is full.",
      retryable: false,
      details: { content: [{ type: "text", text: "The disk is full." }] },
    },
  },
  {
    title: "a server that refuses the input is quoted",
    tool: "refuses_input",
    error: {
      code: "INVALID_INPUT",
      message: "up/refuses_input refused the input: word must be shorter",
      retryable: false,
    },
  },
  {
    title: "another error of the protocol is the tool's own",
    tool: "breaks",
    error: {
      code: "MCP_TOOL_ERROR",
      message: "up/breaks failed: Something went wrong inside",
      retryable: false,
      details: { protocolCode: -32603 },
    },
  },
  {
    title: "429 says how long to wait",
    tool: "answers_status",
    input: { status: 429, headers: { "retry-after": "7" } },
    error: {
      code: "RATE_LIMITED",
      message: /^The service behind up\/answers_status asks to wait\. Wait 7 s before the next try\.$/,
      retryable: true,
      details: { retryAfterMs: 7_000 },
    },
  },
  {
    title: "429 without a time is as clear",
    tool: "answers_status",
    input: { status: 429 },
    error: {
      code: "RATE_LIMITED",
      message: /asks to wait\. Wait a while before the next try\.$/,
      retryable: true,
    },
  },
  {
    title: "403 is about the gateway's credential",
    tool: "answers_status",
    input: { status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope"' } },
    error: {
      code: "UNAUTHORIZED_UPSTREAM",
      message:
        "The server behind up/answers_status refused the gateway's credential. Tell the operator of this gateway; trying again does not help.",
      retryable: false,
    },
  },
  {
    title: "500 tells its status and nothing of its page",
    tool: "answers_status",
    input: { status: 500 },
    error: unavailable(
      `The server behind up/answers_status failed: it answered with HTTP 500. ${CHECK}`,
      false,
    ),
  },
  {
    title: "400 that is none of MCP's does not make a mutation run again where there are no sessions",
    tool: "answers_status",
    input: { status: 400 },
    eras: ["modern"],
    error: unavailable(
      `The server behind up/answers_status answered with something that is not MCP. ${CHECK} Tell the operator of this gateway.`,
      false,
    ),
  },
  {
    title: "404 that stays after a new session is no lost session",
    tool: "answers_status",
    input: { status: 404 },
    eras: ["legacy"],
    runs: 2,
    error: unavailable(
      `The server behind up/answers_status does not keep its sessions: it answered with HTTP 404. ${LATER}`,
      true,
    ),
  },
];

for (const era of ERAS) {
  describe(`a call to a ${era} upstream that goes wrong`, () => {
    for (const { title, tool, input, error: expected, runs = 1, eras = ERAS, ...options } of FAULTS) {
      if (!eras.includes(era)) continue;
      test(title, async (t) => {
        const { upstream, call, log } = await importUpstream(
          t,
          { era },
          { trustAnnotations: true, runtime: options },
        );
        const { error, output, milliseconds } = await call(tool, input);
        assert.ok(error, `it answered ${JSON.stringify(output)}`);
        const { message, ...rest } = error.toJSON();
        const { message: expectedMessage, ...expectedRest } = expected;
        if (typeof expectedMessage === "string") assert.equal(message, expectedMessage);
        else assert.match(message, expectedMessage);
        assert.deepEqual(rest, expectedRest);
        assert.equal(upstream.runs(tool), runs, "how often it ran");
        assert.ok(milliseconds < SOON_MS, `it took ${milliseconds} ms`);
        assert.ok(!`${message}${log.text()}`.includes("secrets of the house"));
        assert.deepEqual(
          (await call("echo", { word: "hi" })).output,
          { word: "hi" },
          "the next call is fine",
        );
      });
    }
  });
}
