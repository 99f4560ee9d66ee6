import type { Failure } from "./failure.ts";

/** Why a server, or one of its tools, could not be imported. */
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

/** What the operator learns about a server that cannot be imported. */
export function toImportError({ kind, reason, cause }: Failure, url: string): ImportError {
  switch (kind) {
    case "unauthorized":
      return new ImportError(
        "UNAUTHORIZED",
        `${url} refused the credential. Set or renew the source's token.`,
        cause,
      );
    case "protocol":
    case "garbage":
    case "session-lost":
      return new ImportError(
        "DISCOVERY_FAILED",
        `${url} answers, but not as an MCP server: ${reason}`,
        cause,
      );
    default:
      return new ImportError("TRANSPORT", `${url} cannot be reached: ${reason}`, cause);
  }
}
