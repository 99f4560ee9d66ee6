import type { ImportErrorCode, TableCode } from "./errors.ts";

/** Consequences of a kind of failure. */
interface FailureRow {
  /** The code that the caller of an operation gets. */
  readonly code: TableCode;
  /** The code of a source that cannot be imported because of it. */
  readonly importCode: ImportErrorCode;
  /** A later attempt may succeed. */
  readonly passes: boolean;
  /** Advice for a request that surely did not run. */
  readonly advice: string;
  /** Advice for a request that may have run; the same by default. */
  readonly adviceIfRan?: string;
}

const CHECK = "The request may have taken effect: check before you repeat it.";
const ASK_FOR_LESS = "Ask for less, for example for one page or for fewer fields.";
const ASK_FOR_LESS_AFTER_IT_RAN = `${ASK_FOR_LESS} The request has run: do not simply repeat it.`;

/**
 * The one table of failures between this gateway and what it calls, for calls and imports of every kind of source.
 *
 * - `refused`: no connection was made, so nothing was sent
 * - `address-forbidden`: this gateway may not call the address
 * - `redirect-forbidden`: the response redirects to another origin
 * - `invalid-request`: it cannot be sent as it is
 * - `timeout`, `aborted`: the time was up, or the caller went away
 * - `too-large`: the answer is over the limit
 * - `too-complex`: reading the answer would take too long, whatever its size
 * - `broken`: the connection ended before the answer was complete
 * - `rate-limited`: the other side asks to wait
 * - `unauthorized`: it refused the credential, or there is none
 * - `server-error`: it failed itself, with a status of 500 and above
 * - `session-lost`: it no longer knows our session, or speaks another revision now
 * - `invalid-answer`: its answer does not follow its protocol
 */
export const FAILURES = {
  refused: {
    code: "UNAVAILABLE",
    importCode: "TRANSPORT",
    passes: true,
    advice: "Check that the service runs at this address, or try again later.",
    adviceIfRan: CHECK,
  },
  "address-forbidden": {
    code: "UNAVAILABLE",
    importCode: "TRANSPORT",
    passes: false,
    advice: "Nothing was sent; the operator of this gateway decides which addresses it calls.",
  },
  "redirect-forbidden": {
    code: "UNAVAILABLE",
    importCode: "TRANSPORT",
    passes: false,
    advice: "The operator of this gateway should configure the address where the service answers.",
  },
  "invalid-request": {
    code: "INVALID_INPUT",
    importCode: "TRANSPORT",
    passes: false,
    advice: "Nothing was sent; correct it first.",
  },
  timeout: {
    code: "TIMEOUT",
    importCode: "TRANSPORT",
    passes: true,
    advice: "Try again later, or allow more time.",
    adviceIfRan: `${CHECK} Or allow more time.`,
  },
  aborted: {
    code: "ABORTED",
    importCode: "TRANSPORT",
    passes: false,
    advice: "Send it again if it is still wanted.",
    adviceIfRan: "The request may have taken effect all the same.",
  },
  "too-large": {
    code: "RESULT_TOO_LARGE",
    importCode: "TRANSPORT",
    passes: false,
    advice: ASK_FOR_LESS,
    adviceIfRan: ASK_FOR_LESS_AFTER_IT_RAN,
  },
  "too-complex": {
    code: "OUTPUT_INVALID",
    importCode: "TRANSPORT",
    passes: false,
    advice: ASK_FOR_LESS,
    adviceIfRan: ASK_FOR_LESS_AFTER_IT_RAN,
  },
  broken: {
    code: "UNAVAILABLE",
    importCode: "TRANSPORT",
    passes: true,
    advice: "Try again later.",
    adviceIfRan: CHECK,
  },
  "rate-limited": {
    code: "RATE_LIMITED",
    importCode: "TRANSPORT",
    passes: true,
    advice: "Wait a while before the next try.",
  },
  unauthorized: {
    code: "UNAUTHORIZED_UPSTREAM",
    importCode: "UNAUTHORIZED",
    passes: false,
    advice: "Tell the operator of this gateway; trying again does not help.",
  },
  "server-error": {
    code: "UNAVAILABLE",
    importCode: "TRANSPORT",
    passes: true,
    advice: "Try again later.",
    adviceIfRan: CHECK,
  },
  "session-lost": {
    code: "UNAVAILABLE",
    importCode: "DISCOVERY_FAILED",
    passes: true,
    advice: "Try again later.",
    adviceIfRan: CHECK,
  },
  "invalid-answer": {
    code: "UNAVAILABLE",
    importCode: "DISCOVERY_FAILED",
    passes: false,
    advice: "Tell the operator of this gateway.",
    adviceIfRan: `${CHECK} Tell the operator of this gateway.`,
  },
} as const satisfies Record<string, FailureRow>;

/** A kind of failure of the table. */
export type FailureKind = keyof typeof FAILURES;

/** Facts about one failure. */
export interface Failure {
  readonly kind: FailureKind;
  /** The request was sent, and may have taken effect. */
  readonly mayHaveRun: boolean;
  /** The wait that the other side asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** Advice after a failure: one or two sentences. */
export function adviceOn({ kind, mayHaveRun, retryAfterMs }: Failure): string {
  const row: FailureRow = FAILURES[kind];
  if (retryAfterMs !== undefined && kind === "rate-limited")
    return `Wait ${Math.ceil(retryAfterMs / 1_000)} s before the next try.`;
  return mayHaveRun ? (row.adviceIfRan ?? row.advice) : row.advice;
}

/** True if the same request may simply be sent again. A service that asks to wait has not processed it. */
export function isRetryable({ kind, mayHaveRun }: Failure): boolean {
  return FAILURES[kind].passes && (!mayHaveRun || kind === "rate-limited");
}

/** The code of a source that cannot be imported because a call to it failed with this code. */
export function importCodeOf(code: string): ImportErrorCode {
  const row = Object.values(FAILURES).find((each) => each.code === code);
  return row?.importCode ?? "DISCOVERY_FAILED";
}

const IMPORT_ADVICE: Readonly<Record<ImportErrorCode, (source: string) => string>> = {
  UNAUTHORIZED: (source) => `Renew the credential of ${source}: its token was refused.`,
  TRANSPORT: (source) =>
    `Check that the server of ${source} runs and that its address in sources.${source} is right.`,
  DISCOVERY_FAILED: (source) =>
    `Check that the address in sources.${source} is that of an MCP server or document.`,
  SCHEMA_PARSE: (source) => `Fix the document of ${source}, or what sources.${source} says about it.`,
  NAME_COLLISION: (source) => `Rename ${source} or the source that has the same names.`,
};

/** Advice for the operator of a source that cannot be imported: one sentence. */
export function adviceOnImport(code: ImportErrorCode, source: string): string {
  return IMPORT_ADVICE[code](source);
}
