/** Why a document could not be imported. */
export type ImportErrorCode = "DISCOVERY_FAILED" | "TRANSPORT" | "SCHEMA_PARSE" | "NAME_COLLISION";

/** Thrown while importing; the message tells the operator what to do. Never takes the gateway down. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code: ImportErrorCode;

  constructor(code: ImportErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
