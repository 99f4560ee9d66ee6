import { CallError, type TableCode } from "../core/index.ts";
import { adviceOn, type OutboundError, type OutboundErrorKind } from "./outbound-error.ts";

/** Options of toCallError. */
export interface ToCallErrorOptions {
  /** Safe to run twice, so a caller may retry even if it may have run. */
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
 * The caller's error for a failed outbound request; `what` names the operation or the source.
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
