import { ImportError } from "../../core/index.ts";
import { AuthorizationFailure } from "../../credentials/oauth/index.ts";
import type { Failure } from "./failure.ts";

/** The server that cannot be imported. */
export interface ImportSite {
  /** As it is shown. */
  readonly url: string;
  readonly hasCredential: boolean;
  /** What the operator does about the credential. */
  readonly advice?: string | undefined;
}

/** What the operator learns about a server that cannot be imported. */
export function toImportError(failure: Failure, site: ImportSite): ImportError {
  const { kind, reason, cause } = failure;
  const { url } = site;
  switch (kind) {
    case "unauthorized": {
      const says = cause instanceof AuthorizationFailure;
      return new ImportError("UNAUTHORIZED", says ? reason : unauthorized(site), cause);
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

/** The error of a server that speaks a transport which MCP has given up. */
export function ofOldTransport(url: string): ImportError {
  return new ImportError(
    "DISCOVERY_FAILED",
    `${url} speaks the old SSE transport of MCP. See whether it has an address for streamable HTTP, often /mcp; if not, put a bridge before it.`,
  );
}

function unauthorized({ url, hasCredential, advice }: ImportSite): string {
  if (hasCredential) return `${url} refused the credential. ${advice ?? "Set or renew the source's token."}`;
  const otherwise = "Set the source's token, or oauth if people sign in there.";
  return `${url} does not answer without a credential, and there is none. ${advice ?? otherwise}`;
}
