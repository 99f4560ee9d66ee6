import { CallError } from "../core/index.ts";
import { OutboundError } from "./outbound-error.ts";

/** Progress of a request when it failed. */
export interface Stage {
  readonly origin: string;
  readonly sent: boolean;
}

const TIMEOUTS: readonly string[] = ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"];
const NAMELESS: readonly string[] = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"];

/** Maps an error of the HTTP library to an OutboundError. */
export function toOutboundError(thrown: unknown, stage: Stage): OutboundError {
  if (thrown instanceof OutboundError) return thrown;
  const code = codeOf(thrown);
  return stage.sent ? midway(thrown, code, stage.origin) : before(thrown, code, stage.origin);
}

/** The error of a request whose signal has aborted. */
export function abortedBy(signal: AbortSignal, { origin, sent }: Stage): OutboundError {
  const { reason } = signal;
  if (isTimeout(reason)) return deadlinePassed({ origin, sent }, reason);
  return new OutboundError("aborted", `The request to ${origin} was aborted.`, {
    mayHaveRun: sent,
    cause: reason,
  });
}

/** The error of a request whose deadline has passed. */
export function deadlinePassed({ origin, sent }: Stage, cause?: unknown): OutboundError {
  const missing = sent ? `${origin} did not answer in full` : `No connection to ${origin} was free`;
  return new OutboundError("timeout", `${missing} before the deadline of the call.`, {
    mayHaveRun: sent,
    cause,
  });
}

/** The error of a response that did not begin in time, or stopped midway. */
export function fellSilent({ origin, sent }: Stage, silenceMs: number, begun: boolean): OutboundError {
  const happened = begun
    ? `${origin} sent nothing for ${silenceMs} ms in the middle of its answer.`
    : `${origin} did not begin to answer within ${silenceMs} ms.`;
  return new OutboundError("timeout", happened, { mayHaveRun: sent });
}

/** The error of a response over the limit. */
export function tooLarge(origin: string, limitBytes: number): OutboundError {
  return new OutboundError("too-large", `The answer of ${origin} is larger than ${limitBytes} bytes.`, {
    mayHaveRun: true,
  });
}

function before(cause: unknown, code: string, origin: string): OutboundError {
  if (TIMEOUTS.includes(code)) {
    return new OutboundError("timeout", `${origin} did not accept a connection in time.`, { cause });
  }
  const happened = NAMELESS.includes(code)
    ? `The name in ${origin} is not known to the name service (${code}).`
    : code.includes("CERT") || code.includes("ISSUER")
      ? `The certificate of ${origin} is not trusted (${code}).`
      : `No connection to ${origin} could be made (${code}).`;
  return new OutboundError("refused", happened, { cause });
}

function midway(cause: unknown, code: string, origin: string): OutboundError {
  const options = { mayHaveRun: true, cause };
  return code === "UND_ERR_HEADERS_OVERFLOW"
    ? new OutboundError("too-large", `${origin} answered with headers over the limit.`, options)
    : new OutboundError("broken", `The connection to ${origin} broke midway (${code}).`, options);
}

function isTimeout(reason: unknown): boolean {
  if (reason instanceof CallError) return reason.code === "TIMEOUT";
  return reason instanceof Error && reason.name === "TimeoutError";
}

/** Only a code is ever quoted: messages of libraries may hold addresses and headers. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : "no code";
}
