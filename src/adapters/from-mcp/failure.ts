import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { CallError } from "../../core/index.ts";
import { OutboundError, toCallError } from "../../outbound/index.ts";
import { ImportError } from "./import-error.ts";
import { STREAM_LOST } from "./transport.ts";

/** What went wrong between us and an upstream, and what follows from it. */
export interface Failure {
  readonly kind:
    | "session-lost"
    | "not-sent"
    | "stream-lost"
    | "closed"
    | "timeout"
    | "unauthorized"
    | "rate-limited"
    | "outbound"
    | "protocol"
    | "garbage";
  /** The upstream surely did not run the call. */
  readonly neverRan: boolean;
  /** The connection is of no use any more. */
  readonly connectionLost: boolean;
  readonly retryAfterMs?: number;
  readonly cause: unknown;
}

/** Recognises a failure by its type and numbers, never by its text. */
export function toFailure(error: unknown, era: "legacy" | "modern" | undefined): Failure {
  const outbound = outboundIn(error);
  if (outbound) return fromOutbound(outbound);
  if (error instanceof UnauthorizedError) return failure("unauthorized", error, { neverRan: true });
  if (error instanceof SdkHttpError) return fromStatus(error, era);
  if (error instanceof ProtocolError) {
    return error.code === STREAM_LOST
      ? failure("stream-lost", error, { connectionLost: true })
      : failure("protocol", error);
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return failure("timeout", error);
    if (error.code === SdkErrorCode.NotConnected)
      return failure("closed", error, { neverRan: true, connectionLost: true });
    if (error.code === SdkErrorCode.ConnectionClosed)
      return failure("closed", error, { connectionLost: true });
  }
  return failure("garbage", error);
}

/** What the caller of an imported operation learns. */
export function toCallerError(found: Failure, what: string): CallError {
  const { cause, retryAfterMs } = found;
  switch (found.kind) {
    case "outbound":
    case "not-sent":
      return cause instanceof OutboundError ? toCallError(cause, what) : unavailable(what, cause);
    case "timeout":
      return new CallError(
        "TIMEOUT",
        `${what} did not answer in time. It may have run: check before you repeat a mutation.`,
        { cause },
      );
    case "unauthorized":
      return new CallError(
        "UNAUTHORIZED_UPSTREAM",
        `The server behind ${what} refused the gateway's credential. Tell the operator of this gateway; trying again does not help.`,
        { cause },
      );
    case "rate-limited":
      return new CallError(
        "RATE_LIMITED",
        `The server behind ${what} asks to slow down. ${waitText(retryAfterMs)}`,
        {
          cause,
          ...(retryAfterMs !== undefined && { details: { retryAfterMs } }),
        },
      );
    case "stream-lost":
      return new CallError(
        "UNAVAILABLE",
        `The connection broke while ${what} ran. It may have run: check before you repeat a mutation.`,
        { cause },
      );
    case "protocol":
      return fromProtocol(cause as ProtocolError, what);
    case "garbage":
      return new CallError(
        "UNAVAILABLE",
        `The server behind ${what} answered with something that is no MCP. Tell the operator of this gateway.`,
        {
          cause,
          retryable: false,
        },
      );
    default:
      return unavailable(what, cause);
  }
}

/** What the operator learns about a server that cannot be imported. */
export function toImportError(found: Failure, url: string): ImportError {
  const { cause } = found;
  const reason = cause instanceof Error ? cause.message : String(cause);
  switch (found.kind) {
    case "unauthorized":
      return new ImportError(
        "UNAUTHORIZED",
        `${url} refused the credential. Set or renew the source's token.`,
        cause,
      );
    case "protocol":
    case "garbage":
      return new ImportError(
        "DISCOVERY_FAILED",
        `${url} answers, but not as an MCP server: ${reason}`,
        cause,
      );
    default:
      return new ImportError("TRANSPORT", `${url} cannot be reached: ${reason}`, cause);
  }
}

function fromStatus(error: SdkHttpError, era: "legacy" | "modern" | undefined): Failure {
  const { status } = error;
  // 404 is what the protocol says of a lost session; servers in the wild also answer 400.
  if (era === "legacy" && (status === 404 || status === 400)) {
    return failure("session-lost", error, { neverRan: true, connectionLost: true });
  }
  if (status === 401 || status === 403) return failure("unauthorized", error, { neverRan: true });
  if (status === 429) return failure("rate-limited", error, { neverRan: true });
  if (status >= 500) return failure("outbound", error);
  return failure("garbage", error, { neverRan: true });
}

function fromOutbound(error: OutboundError): Failure {
  const neverRan = !error.mayHaveRun;
  if (error.kind === "rate-limited") {
    const { retryAfterMs } = error;
    return {
      ...failure("rate-limited", error, { neverRan }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  return failure(neverRan ? "not-sent" : "outbound", error, {
    neverRan,
    connectionLost: error.kind === "refused",
  });
}

function fromProtocol(error: ProtocolError, what: string): CallError {
  const text = error.message.slice(0, 500);
  if (error.code === -32602)
    return new CallError("INVALID_INPUT", `${what} refused the input: ${text}`, { cause: error });
  if (error.code === -32021) {
    return new CallError(
      "INVALID_OPERATION_TYPE",
      `${what} needs something of its client that a gateway cannot offer: ${text}`,
      { cause: error },
    );
  }
  return new CallError("MCP_TOOL_ERROR", `${what} failed: ${text}`, {
    details: { protocolCode: error.code },
    cause: error,
  });
}

function failure(
  kind: Failure["kind"],
  cause: unknown,
  { neverRan = false, connectionLost = false }: Partial<Pick<Failure, "neverRan" | "connectionLost">> = {},
): Failure {
  return { kind, neverRan, connectionLost, cause };
}

function unavailable(what: string, cause: unknown): CallError {
  return new CallError(
    "UNAVAILABLE",
    `The server behind ${what} is not reachable at the moment. Try again later.`,
    { cause },
  );
}

function waitText(milliseconds: number | undefined): string {
  return milliseconds === undefined
    ? "Try again later."
    : `Try again in ${Math.ceil(milliseconds / 1000)} s.`;
}

/** The SDK wraps what its transport threw, once or twice. */
function outboundIn(error: unknown): OutboundError | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (current instanceof OutboundError) return current;
    current = current.cause;
  }
  return undefined;
}
