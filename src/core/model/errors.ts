import type { ErrorDefinition } from "./operation.ts";

/** One row of the error table. */
export interface ErrorRow {
  readonly retryable: boolean;
  readonly meaning: string;
  /** Part of the call protocol itself, not only declared by this gateway. */
  readonly protocol?: true;
}

/** The one table of codes that every operation may answer with; domain codes come from its own spec. */
export const ERROR_TABLE = {
  NOT_FOUND: { protocol: true, retryable: false, meaning: "unknown to this caller" },
  FORBIDDEN: { protocol: true, retryable: false, meaning: "may not" },
  INVALID_INPUT: { protocol: true, retryable: false, meaning: "input does not fit" },
  INVALID_OPERATION_TYPE: {
    protocol: true,
    retryable: false,

    meaning: "wrong way to call this type",
  },
  INTERNAL: {
    protocol: true,
    retryable: false,

    meaning: "a fault of ours or of the handler",
  },
  TIMEOUT: {
    protocol: true,
    retryable: false,

    meaning: "deadline passed; retryable where running it twice does no harm",
  },
  RATE_LIMITED: { retryable: true, meaning: "too many calls; wait" },
  UNAVAILABLE: {
    retryable: true,

    meaning: "what the operation needs is not reachable",
  },
  UNAUTHORIZED_UPSTREAM: {
    retryable: false,

    meaning: "the upstream refused our credential, or there is none for this caller",
  },
  RESULT_TOO_LARGE: { retryable: false, meaning: "the output exceeds the size limit" },
  OUTPUT_INVALID: { retryable: false, meaning: "the output does not fit its schema" },
  SLOW_CONSUMER: { retryable: false, meaning: "the reader of a stream fell behind" },
  ABORTED: { retryable: false, meaning: "the caller went away" },
} as const satisfies Record<string, ErrorRow>;

/** A code of the one table. */
export type TableCode = keyof typeof ERROR_TABLE;

/** The row of a code, undefined for a domain code. */
export function rowOf(code: string): ErrorRow | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as TableCode] : undefined;
}

/** An error as every wire shows it. */
export interface CallErrorJson {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: unknown;
}

/** Optional properties of a CallError. */
export interface CallErrorOptions {
  readonly details?: unknown;
  readonly retryable?: boolean;
  /** Goes to the log, never to a caller. */
  readonly cause?: unknown;
}

/** A plugin may bring its own copy of this package, so the class is told by this mark and not by its identity. */
const CALL_ERROR = Symbol.for("pinhole.CallError");

/**
 * The one error that leaves dispatch. Handlers throw it with a code that their operation declares:
 *
 *     throw new CallError("CARD_DECLINED", "The card was declined; ask for another one.")
 */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: string;
  readonly retryable: boolean;
  /** True if the thrower set `retryable`; otherwise the table or the declaration of the code decides. */
  readonly saysRetryable: boolean;
  readonly details?: unknown;

  constructor(code: string, message: string, options: CallErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.saysRetryable = options.retryable !== undefined;
    this.retryable = options.retryable ?? rowOf(code)?.retryable ?? false;
    if (options.details !== undefined) this.details = options.details;
  }

  get [CALL_ERROR](): true {
    return true;
  }

  /** `instanceof` holds for CallErrors of every copy of this package. */
  static override [Symbol.hasInstance](value: unknown): value is CallError {
    return typeof value === "object" && value !== null && CALL_ERROR in value;
  }

  toJSON(): CallErrorJson {
    const { code, message, retryable, details } = this;
    return details === undefined ? { code, message, retryable } : { code, message, retryable, details };
  }
}

/** The declaration of a code in an operation's errors: its own, or one for a prefix such as `HTTP_*`. */
export function declaredError(
  declared: readonly ErrorDefinition[],
  code: string,
): ErrorDefinition | undefined {
  return (
    declared.find((error) => error.code === code) ??
    declared.find((error) => error.code.endsWith("*") && code.startsWith(error.code.slice(0, -1)))
  );
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whatever was thrown with its stack, for logs alone. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Codes of a source, or a part of it, that could not be imported.
 *
 * - `DISCOVERY_FAILED`: it answers, but not as it should
 * - `UNAUTHORIZED`: it refused the credential, or wants one
 * - `TRANSPORT`: it cannot be reached
 * - `SCHEMA_PARSE`: what it describes cannot be used
 * - `NAME_COLLISION`: a name is taken
 */
export type ImportErrorCode =
  | "DISCOVERY_FAILED"
  | "UNAUTHORIZED"
  | "TRANSPORT"
  | "SCHEMA_PARSE"
  | "NAME_COLLISION";

/** Thrown while importing; the message tells the operator what to do. Never takes the gateway down. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code: ImportErrorCode;

  constructor(code: ImportErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
