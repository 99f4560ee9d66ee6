import { CallError, type TableCode } from "../core/index.ts";
import { adviceOn, type OutboundError, type OutboundErrorKind } from "./outbound-error.ts";

/** What the operation behind a failed request is like. */
export interface ToCallErrorOptions {
  /** Running it twice does no harm, so it may be tried again even if it may have run. */
  readonly repeatable?: boolean;
}

const CODES: Readonly<Record<OutboundErrorKind, TableCode>> = {
  refused: "UNAVAILABLE",
  "address-forbidden": "UNAVAILABLE",
  "redirect-forbidden": "UNAVAILABLE",
  "invalid-request": "INVALID_INPUT",
  timeout: "TIMEOUT",
  aborted: "ABORTED",
  "too-large": "RESULT_TOO_LARGE",
  broken: "UNAVAILABLE",
  "rate-limited": "RATE_LIMITED",
};

/** What happened, without the address: where a service lies is the operator's business, and in the log. */
const HAPPENED: Readonly<Record<OutboundErrorKind, (what: string) => string>> = {
  refused: (what) => `The service behind ${what} cannot be reached.`,
  "address-forbidden": (what) => `The service behind ${what} has an address that this gateway does not call.`,
  "redirect-forbidden": (what) => `The service behind ${what} points somewhere else.`,
  "invalid-request": (what) => `What ${what} was given makes no request that can be sent.`,
  timeout: (what) => `The service behind ${what} did not answer in time.`,
  aborted: (what) => `${what} was aborted.`,
  "too-large": (what) => `The answer of the service behind ${what} is larger than this gateway takes.`,
  broken: (what) => `The connection to the service behind ${what} broke.`,
  "rate-limited": (what) => `The service behind ${what} asks to wait.`,
};

/** Kinds that the same request may get past at another time. */
const PASSING: readonly OutboundErrorKind[] = ["refused", "timeout", "broken"];

/**
 * What a caller learns about a failed outbound request; `what` names the operation or the source.
 *
 *     throw toCallError(error, "github/list_issues", { repeatable: true });
 */
export function toCallError(
  error: OutboundError,
  what: string,
  { repeatable = false }: ToCallErrorOptions = {},
): CallError {
  const { kind, retryAfterMs } = error;
  const mayHaveRun = error.mayHaveRun && !repeatable;
  // A service that asks to wait has turned the request away, so it is safe to come back.
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
