import { type ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { adviceOn, CallError, FAILURES, ImportError, isRetryable } from "../../core/index.ts";
import { AuthorizationFailure } from "../../credentials/oauth/index.ts";
import { OutboundError, toCallError } from "../../outbound/index.ts";
import type { UpstreamFailure } from "./failure.ts";
import { TOOL_ERROR } from "./tools.ts";

/** The call that failed. */
interface Called {
  readonly name: string;
  /** Running it twice does no harm. */
  readonly isRepeatable: boolean;
}

/** The caller's error for a failed call of an imported operation. */
export function toCallerError(failure: UpstreamFailure, { name, isRepeatable }: Called): CallError {
  const { kind, neverRan } = failure;
  if (failure.cause instanceof OutboundError)
    return toCallError(failure.cause, name, { repeatable: isRepeatable });
  if (kind === "protocol") return fromProtocol(failure, name);
  // The log gets the reason without secrets, not the error itself, which may repeat what an upstream echoed.
  const cause = new Error(failure.reason);
  if (kind === "unauthorized")
    return new CallError(FAILURES[kind].code, unauthorized(failure, name), { cause });
  const facts = { kind, mayHaveRun: !neverRan && !isRepeatable };
  // A server that never got the call did not miss the deadline of the call.
  const code = kind === "timeout" && neverRan ? "UNAVAILABLE" : FAILURES[kind].code;
  return new CallError(code, `${whatHappened(failure, name)} ${adviceOn(facts)}`, {
    cause,
    retryable: isRetryable(facts),
  });
}

function whatHappened({ kind, reason, neverRan }: UpstreamFailure, name: string): string {
  switch (kind) {
    case "timeout":
      return neverRan ? `The server behind ${name} does not answer.` : `${name} did not answer in time.`;
    case "broken":
      return neverRan
        ? `The connection to the server behind ${name} was ended.`
        : `The answer of ${name} ended before it was complete.`;
    case "session-lost":
      return `The server behind ${name} does not keep its sessions: ${reason}.`;
    case "invalid-answer":
      return `The server behind ${name} answered with something that is not MCP.`;
    default:
      return `The server behind ${name} failed: ${reason}.`;
  }
}

function unauthorized({ cause }: UpstreamFailure, name: string): string {
  if (cause instanceof AuthorizationFailure) return `${name} cannot be called now. ${cause.message}`;
  return `The server behind ${name} refused the gateway's credential. Tell the operator of this gateway; trying again does not help.`;
}

/** Our codes for errors of the protocol; all other errors are the tool's own. */
const CODES: ReadonlyMap<number, "INVALID_INPUT" | "INVALID_OPERATION_TYPE"> = new Map([
  [ProtocolErrorCode.InvalidParams, "INVALID_INPUT"],
  [ProtocolErrorCode.ResourceNotFound, "INVALID_INPUT"],
  [ProtocolErrorCode.MissingRequiredClientCapability, "INVALID_OPERATION_TYPE"],
  [ProtocolErrorCode.UrlElicitationRequired, "INVALID_OPERATION_TYPE"],
]);

function fromProtocol({ cause: found, reason }: UpstreamFailure, name: string): CallError {
  const { code } = found as ProtocolError;
  const cause = new Error(reason);
  switch (CODES.get(code)) {
    case "INVALID_INPUT":
      return new CallError("INVALID_INPUT", `${name} refused the input: ${reason}`, { cause });
    case "INVALID_OPERATION_TYPE":
      return new CallError(
        "INVALID_OPERATION_TYPE",
        `${name} needs something of its client that a gateway cannot offer: ${reason}`,
        { cause },
      );
    default:
      return new CallError(TOOL_ERROR.code, `${name} failed: ${reason}`, {
        details: { protocolCode: code },
        cause,
      });
  }
}

/** The server that cannot be imported. */
interface ImportSite {
  /** As it is shown. */
  readonly url: string;
  readonly hasCredential: boolean;
  /** Advice for the operator about the credential. */
  readonly advice?: string | undefined;
}

/** The operator's error for a server that cannot be imported. */
export function toImportError(failure: UpstreamFailure, site: ImportSite): ImportError {
  const { kind, reason, cause } = failure;
  const { url } = site;
  const code = kind === "protocol" ? "DISCOVERY_FAILED" : FAILURES[kind].importCode;
  switch (code) {
    case "UNAUTHORIZED":
      return new ImportError(
        code,
        cause instanceof AuthorizationFailure ? reason : credentialAdvice(site),
        cause,
      );
    case "DISCOVERY_FAILED":
      return new ImportError(code, `${url} answers, but not as an MCP server: ${reason}`, cause);
    default:
      return new ImportError(code, `${url} cannot be reached: ${reason}`, cause);
  }
}

/** The error of a server that speaks a transport which MCP has given up. */
export function ofOldTransport(url: string): ImportError {
  return new ImportError(
    "DISCOVERY_FAILED",
    `${url} speaks the old SSE transport of MCP. See whether it has an address for streamable HTTP, often /mcp; if not, put a bridge before it.`,
  );
}

function credentialAdvice({ url, hasCredential, advice }: ImportSite): string {
  if (hasCredential) return `${url} refused the credential. ${advice ?? "Set or renew the source's token."}`;
  const otherwise = "Set the source's token, or oauth if people sign in there.";
  return `${url} requires a credential, and none is configured. ${advice ?? otherwise}`;
}
