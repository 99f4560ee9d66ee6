import { ImportError } from "../../core/index.ts";
import type { Failure } from "./failure.ts";
import { AuthorizationFailure } from "./oauth/credential.ts";

/** What the operator learns about a server that cannot be imported. */
export function toImportError(
  { kind, reason, cause }: Failure,
  url: string,
  advice = "Set or renew the source's token.",
): ImportError {
  switch (kind) {
    case "unauthorized": {
      const says = cause instanceof AuthorizationFailure;
      return new ImportError(
        "UNAUTHORIZED",
        says ? reason : `${url} refused the credential. ${advice}`,
        cause,
      );
    }
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
