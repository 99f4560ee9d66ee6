/**
 * Why a source, or a part of it, could not be imported.
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
