import { CallError, type TableCode } from "../core/index.ts";

/**
 * Reason why a request failed.
 *
 * - `refused`: no connection was made, so nothing was sent
 * - `address-forbidden`: this client may not call the address
 * - `redirect-forbidden`: the response redirects to another origin
 * - `invalid-request`: it cannot be sent as it is
 * - `timeout`, `aborted`: the time was up, or the caller went away
 * - `too-large`: the response is over the limit
 * - `too-complex`: reading the response would take too long, whatever its size
 * - `broken`: the connection died midway, or the response is not HTTP
 * - `rate-limited`: the service asks to wait
 */
export type OutboundErrorKind =
  | "refused"
  | "address-forbidden"
  | "redirect-forbidden"
  | "invalid-request"
  | "timeout"
  | "aborted"
  | "too-large"
  | "too-complex"
  | "broken"
  | "rate-limited";

interface OutboundErrorOptions {
  /** The request was sent, and may have taken effect. */
  readonly mayHaveRun?: boolean;
  /** The wait that the service asks for. */
  readonly retryAfterMs?: number | undefined;
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
  /** The message without its advice. */
  readonly happened: string;

  constructor(kind: OutboundErrorKind, happened: string, options: OutboundErrorOptions = {}) {
    const { mayHaveRun = false, retryAfterMs, cause } = options;
    super(
      `${happened} ${adviceOn({ kind, mayHaveRun, retryAfterMs })}`,
      cause === undefined ? undefined : { cause },
    );
    this.kind = kind;
    this.happened = happened;
    this.mayHaveRun = mayHaveRun;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** The same failure of a request that may have run before it. */
export function havingRun(error: OutboundError): OutboundError {
  const { kind, happened, retryAfterMs, cause, mayHaveRun } = error;
  return mayHaveRun ? error : new OutboundError(kind, happened, { mayHaveRun: true, retryAfterMs, cause });
}

/** Advice on what to do after a failure. */
function adviceOn({
  kind,
  mayHaveRun: ran,
  retryAfterMs,
}: Pick<OutboundError, "kind" | "mayHaveRun"> & { readonly retryAfterMs: number | undefined }): string {
  switch (kind) {
    case "refused":
      return ran ? CHECK : "Check that the service runs at this address, or try again later.";
    case "address-forbidden":
      return "Nothing was sent; the operator of this gateway decides which addresses it calls.";
    case "redirect-forbidden":
      return "The operator of this gateway should configure the address where the service answers.";
    case "invalid-request":
      return "Nothing was sent; correct it first.";
    case "timeout":
      return ran ? `${CHECK} Or allow more time.` : "Try again later, or allow more time.";
    case "aborted":
      return ran ? "The request may have taken effect all the same." : "Send it again if it is still wanted.";
    case "too-large":
    case "too-complex":
      return `Ask for less, for example for one page or for fewer fields.${ran ? " The request has run: do not simply repeat it." : ""}`;
    case "broken":
      return ran ? CHECK : "Try again later.";
    case "rate-limited":
      return `Wait ${waitOf(retryAfterMs)} before the next try.`;
  }
}

const CHECK = "The request may have taken effect: check before you repeat it.";

function waitOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "a while" : `${Math.ceil(milliseconds / 1000)} s`;
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

const CODES: Readonly<Record<OutboundErrorKind, TableCode>> = {
  refused: "UNAVAILABLE",
  "address-forbidden": "UNAVAILABLE",
  "redirect-forbidden": "UNAVAILABLE",
  "invalid-request": "INVALID_INPUT",
  timeout: "TIMEOUT",
  aborted: "ABORTED",
  "too-large": "RESULT_TOO_LARGE",
  "too-complex": "OUTPUT_INVALID",
  broken: "UNAVAILABLE",
  "rate-limited": "RATE_LIMITED",
};

/** Messages for callers, without the address: only the operator's log has that. */
const HAPPENED: Readonly<Record<OutboundErrorKind, (what: string) => string>> = {
  refused: (what) => `The service behind ${what} cannot be reached.`,
  "address-forbidden": (what) => `The service behind ${what} has an address that this gateway does not call.`,
  "redirect-forbidden": (what) => `The service behind ${what} points somewhere else.`,
  "invalid-request": (what) => `The input of ${what} does not make a valid request.`,
  timeout: (what) => `The service behind ${what} did not answer in time.`,
  aborted: (what) => `${what} was aborted.`,
  "too-large": (what) => `The answer of the service behind ${what} is larger than this gateway takes.`,
  "too-complex": (what) =>
    `The answer of the service behind ${what} has so many parts of different kinds that it would take too long to read.`,
  broken: (what) => `The connection to the service behind ${what} broke.`,
  "rate-limited": (what) => `The service behind ${what} asks to wait.`,
};

/** Kinds that a later attempt may get past. */
const PASSING: readonly OutboundErrorKind[] = ["refused", "timeout", "broken"];

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
  const mayHaveRun = error.mayHaveRun && !repeatable;
  // A service that asks to wait has not processed the request, so a retry is safe.
  const retryable = kind === "rate-limited" || (PASSING.includes(kind) && !mayHaveRun);
  return new CallError(
    CODES[kind],
    `${HAPPENED[kind](what)} ${adviceOn({ kind, retryAfterMs, mayHaveRun })}`,
    {
      retryable,
      cause: error,
      ...(retryAfterMs === undefined ? {} : { details: { retryAfterMs } }),
    },
  );
}
