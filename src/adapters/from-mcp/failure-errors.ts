import { type ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { CallError, ImportError } from "../../core/index.ts";
import { AuthorizationFailure } from "../../credentials/oauth/index.ts";
import { type OutboundError, toCallError } from "../../outbound/index.ts";
import type { Failure } from "./failure.ts";
import { TOOL_ERROR } from "./tools.ts";

/** What was called. */
interface Called {
  readonly name: string;
  /** Running it twice does no harm. */
  readonly isRepeatable: boolean;
}

/** What the caller of an imported operation learns: what happened, and what to do now. */
export function toCallerError(failure: Failure, { name, isRepeatable }: Called): CallError {
  const { kind, neverRan } = failure;
  // What goes to the log: the reason without secrets, not the error itself, which may repeat what an upstream echoed.
  const cause = new Error(failure.reason);
  const isSafe = neverRan || isRepeatable;
  const advice = isSafe ? "Try again later." : "It may have run: check before you repeat it.";
  const unavailable = (happened: string, retryable = isSafe) =>
    new CallError("UNAVAILABLE", `${happened} ${advice}`, { cause, retryable });

  switch (kind) {
    case "outbound":
      return toCallError(failure.cause as OutboundError, name, { repeatable: isRepeatable });
    case "protocol":
      return fromProtocol(failure, name);
    case "timeout":
      if (neverRan) return unavailable(`The server behind ${name} does not answer.`);
      return new CallError("TIMEOUT", `${name} did not answer in time. ${advice}`, {
        cause,
        retryable: isSafe,
      });
    case "unauthorized":
      return new CallError("UNAUTHORIZED_UPSTREAM", unauthorized(failure, name), { cause });
    case "unanswered":
      return unavailable(`The answer of ${name} ended before it was complete.`);
    case "server-error":
      return unavailable(`The server behind ${name} failed: ${failure.reason}.`);
    case "session-lost":
      return unavailable(`The server behind ${name} does not keep its sessions: ${failure.reason}.`);
    case "closed":
      return unavailable(`The connection to the server behind ${name} was ended.`);
    case "garbage":
      return new CallError(
        "UNAVAILABLE",
        `The server behind ${name} answered with something that is no MCP. ${isSafe ? "" : `${advice} `}Tell the operator of this gateway.`,
        { cause, retryable: false },
      );
  }
}

function unauthorized({ cause }: Failure, name: string): string {
  if (cause instanceof AuthorizationFailure) return `${name} cannot be called now. ${cause.message}`;
  return `The server behind ${name} refused the gateway's credential. Tell the operator of this gateway; trying again does not help.`;
}

/** Which of our codes an error of the protocol is; all others are the tool's own. */
const CODES: ReadonlyMap<number, "INVALID_INPUT" | "INVALID_OPERATION_TYPE"> = new Map([
  [ProtocolErrorCode.InvalidParams, "INVALID_INPUT"],
  [ProtocolErrorCode.ResourceNotFound, "INVALID_INPUT"],
  [ProtocolErrorCode.MissingRequiredClientCapability, "INVALID_OPERATION_TYPE"],
  [ProtocolErrorCode.UrlElicitationRequired, "INVALID_OPERATION_TYPE"],
]);

function fromProtocol({ cause: found, reason }: Failure, name: string): CallError {
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
      return new ImportError("UNAUTHORIZED", says ? reason : credentialAdvice(site), cause);
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

function credentialAdvice({ url, hasCredential, advice }: ImportSite): string {
  if (hasCredential) return `${url} refused the credential. ${advice ?? "Set or renew the source's token."}`;
  const otherwise = "Set the source's token, or oauth if people sign in there.";
  return `${url} does not answer without a credential, and there is none. ${advice ?? otherwise}`;
}
