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

/** Optional properties of an OutboundError. */
export interface OutboundErrorOptions {
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

/** Facts that decide the advice on a failure. */
export interface Failure {
  readonly kind: OutboundErrorKind;
  readonly mayHaveRun: boolean;
  readonly retryAfterMs: number | undefined;
}

/** Advice on what to do after a failure. */
export function adviceOn(failure: Failure): string {
  const ran = failure.mayHaveRun;
  switch (failure.kind) {
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
      return `Wait ${waitOf(failure.retryAfterMs)} before the next try.`;
  }
}

const CHECK = "The request may have taken effect: check before you repeat it.";

function waitOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "a while" : `${Math.ceil(milliseconds / 1000)} s`;
}
