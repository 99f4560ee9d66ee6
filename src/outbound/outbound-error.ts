import { adviceOn, CallError, FAILURES, type FailureKind, isRetryable } from "../core/index.ts";

interface OutboundErrorOptions {
  /** The request was sent, and may have taken effect. */
  readonly mayHaveRun?: boolean;
  /** The wait that the service asks for. */
  readonly retryAfterMs?: number | undefined;
  /** The status by which the service refused it; without one nothing was sent. */
  readonly status?: number | undefined;
  /** For the log only. */
  readonly cause?: unknown;
}

/**
 * Failure of an outbound request. The message says what happened and what to do next; it contains
 * at most the origin of the address, and never a header.
 */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly kind: OutboundErrorKind;
  readonly mayHaveRun: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  /** The message without its advice. */
  readonly happened: string;

  constructor(kind: OutboundErrorKind, happened: string, options: OutboundErrorOptions = {}) {
    const { mayHaveRun = false, retryAfterMs, status, cause } = options;
    super(
      `${happened} ${adviceOn({ kind, mayHaveRun, retryAfterMs })}`,
      cause === undefined ? undefined : { cause },
    );
    this.kind = kind;
    this.happened = happened;
    this.mayHaveRun = mayHaveRun;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    if (status !== undefined) this.status = status;
  }
}

/** The same failure of a request that may have run before it. */
export function havingRun(error: OutboundError): OutboundError {
  const { kind, happened, retryAfterMs, status, cause, mayHaveRun } = error;
  return mayHaveRun
    ? error
    : new OutboundError(kind, happened, { mayHaveRun: true, retryAfterMs, status, cause });
}

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

/** Messages for callers, without the address: only the operator's log has that. */
const HAPPENED = {
  refused: (what: string) => `The service behind ${what} cannot be reached.`,
  "address-forbidden": (what: string) =>
    `The service behind ${what} has an address that this gateway does not call.`,
  "redirect-forbidden": (what: string) => `The service behind ${what} points somewhere else.`,
  "invalid-request": (what: string) => `The input of ${what} does not make a valid request.`,
  timeout: (what: string) => `The service behind ${what} did not answer in time.`,
  aborted: (what: string) => `${what} was aborted.`,
  "too-large": (what: string) =>
    `The answer of the service behind ${what} is larger than this gateway takes.`,
  "too-complex": (what: string) =>
    `The answer of the service behind ${what} has so many parts of different kinds that it would take too long to read.`,
  broken: (what: string) => `The connection to the service behind ${what} broke.`,
  "rate-limited": (what: string) => `The service behind ${what} asks to wait.`,
} as const satisfies Partial<Record<FailureKind, (what: string) => string>>;

/** The kinds of failure that an outbound request can have. */
export type OutboundErrorKind = keyof typeof HAPPENED;

/**
 * The caller's error for a failed outbound request; `what` names the operation or the source. A request that is
 * `repeatable` does no harm when it runs twice, so a caller may retry it even if it may have run.
 *
 *     throw toCallError(error, "github/list_issues", { repeatable: true });
 */
export function toCallError(
  error: OutboundError,
  what: string,
  { repeatable = false }: { readonly repeatable?: boolean } = {},
): CallError {
  const { kind, retryAfterMs } = error;
  const failure = { kind, retryAfterMs, mayHaveRun: error.mayHaveRun && !repeatable };
  return new CallError(FAILURES[kind].code, `${HAPPENED[kind](what)} ${adviceOn(failure)}`, {
    retryable: isRetryable(failure),
    cause: error,
    ...(retryAfterMs === undefined ? {} : { details: { retryAfterMs } }),
  });
}
