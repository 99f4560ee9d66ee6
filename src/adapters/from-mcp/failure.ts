import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { createRedactor, type FailureKind, isRecord, messageOf, parseJson } from "../../core/index.ts";
import { AuthorizationFailure, LoginChanged } from "../../credentials/oauth/index.ts";
import { OutboundError, type TryOutcome } from "../../outbound/index.ts";
import { UNANSWERED } from "./transport.ts";

/** A kind of the one table of failures; `protocol` is an error of MCP itself, such as a tool that refuses its input. */
export type UpstreamFailureKind = FailureKind | "protocol";

/** A failed request to an upstream, and its consequences. */
export interface UpstreamFailure {
  readonly kind: UpstreamFailureKind;
  /** A short account for the log, without our credential. */
  readonly reason: string;
  /** The upstream surely did not run the call. */
  readonly neverRan: boolean;
  /** The same may work at once if it is done again. */
  readonly isPassing: boolean;
  /** Only a new session helps. */
  readonly sessionLost: boolean;
  readonly cause: unknown;
}

/** An error of the protocol is not longer, in characters. */
const MAX_REFUSAL = 64 * 1024;
const MAX_REASON = 500;
/** The SDK has no name for it. */
const HEADER_MISMATCH = -32020;
/** Errors about a request, among those that servers may make up; a lost session is told by any other of these. */
const ABOUT_THE_REQUEST: readonly number[] = [
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UrlElicitationRequired,
  HEADER_MISMATCH,
];

/** Facts about a connection that failed. */
export interface FailureSite {
  /** The credential, which is kept out of what is said. */
  readonly token?: string | undefined;
  /** Further secrets to redact. */
  readonly secrets?: readonly string[] | undefined;
  /** The server keeps a session for us, which it may lose. */
  readonly hasSession?: boolean | undefined;
}

/** Recognises a failure by its type and numbers, never by its text. */
export function toFailure(
  error: unknown,
  { token, secrets = [], hasSession }: FailureSite = {},
): UpstreamFailure {
  const found = fromOurs(error) ?? fromSdk(error, hasSession === true);
  const text = found.reason ?? messageOf(found.cause);
  const safe = createRedactor([token ?? "", ...secrets])
    .text(text)
    .replaceAll(/\s+/g, " ");
  return {
    neverRan: false,
    isPassing: false,
    sessionLost: false,
    ...found,
    reason: safe.length <= MAX_REASON ? safe : `${safe.slice(0, MAX_REASON - 1)}…`,
  };
}

type Found = Pick<UpstreamFailure, "kind" | "cause"> & Partial<UpstreamFailure>;

const SESSION_LOST = { kind: "session-lost", neverRan: true, isPassing: true, sessionLost: true } as const;

/** The error that our own parts threw below the SDK. */
function fromOurs(error: unknown): Found | undefined {
  const ours = causeIn(error);
  if (ours instanceof OutboundError) return fromOutbound(ours);
  if (ours instanceof LoginChanged) return { ...SESSION_LOST, cause: ours };
  return ours && { kind: "unauthorized", cause: ours, neverRan: true };
}

function fromSdk(cause: unknown, hasSession: boolean): Found {
  if (cause instanceof UnauthorizedError || cause instanceof InsufficientScopeError) {
    return { kind: "unauthorized", cause, neverRan: true };
  }
  if (cause instanceof SdkHttpError) return fromStatus(cause, hasSession);
  if (cause instanceof ProtocolError) return fromProtocol(cause);
  if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout)
    return { kind: "timeout", cause };
  if (cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed)
    return { kind: "broken", cause };
  return { kind: "invalid-answer", cause };
}

/** Of the answer only the status is told: pages of errors are long, and some repeat what was sent to them. */
function fromStatus(cause: SdkHttpError, hasSession: boolean): Found {
  const { status } = cause;
  const reason = `it answered with HTTP ${status}`;
  if (status === 401 || status === 403) return { kind: "unauthorized", cause, reason, neverRan: true };
  if (status >= 500) return { kind: "server-error", cause, reason };
  if (status !== 400 && status !== 404) return { kind: "invalid-answer", cause, reason, neverRan: true };
  const refusal = refusalIn(cause);
  if (refusal && !isAboutSession(refusal)) return fromProtocol(refusal);
  // 404 is what the protocol says of a lost session; servers in the wild also answer 400. One that had no
  // sessions says so only after it has become another one, and then in terms of the protocol.
  if (hasSession || refusal) return { ...SESSION_LOST, cause, reason };
  return { kind: "invalid-answer", cause, reason, sessionLost: true };
}

/** A session that is lost makes a request invalid, or has an error that servers make up (JSON-RPC 2.0, section 5.1). */
function isAboutSession({ code }: ProtocolError): boolean {
  if (code === ProtocolErrorCode.InvalidRequest) return true;
  return code >= -32099 && code <= -32000 && !ABOUT_THE_REQUEST.includes(code);
}

function fromProtocol(cause: ProtocolError): Found {
  if (cause.code === UNANSWERED) return { kind: "broken", cause, isPassing: true };
  // The server has become an older or a newer one.
  if (cause.code === ProtocolErrorCode.UnsupportedProtocolVersion) return { ...SESSION_LOST, cause };
  return { kind: "protocol", cause };
}

function fromOutbound(cause: OutboundError): Found {
  return { kind: cause.kind, cause, neverRan: !cause.mayHaveRun, isPassing: cause.kind === "broken" };
}

/** The facts that decide about a retry, the same as for an API. */
export function outcomeOf({ cause }: UpstreamFailure): TryOutcome {
  if (cause instanceof SdkHttpError) return { status: cause.status };
  if (!(cause instanceof OutboundError) || cause.kind !== "rate-limited") return {};
  const { status, kind, retryAfterMs } = cause;
  return status === undefined ? { kind, retryAfterMs } : { status, retryAfterMs };
}

/** The error of the protocol that a server answered with beside its status. */
function refusalIn({ data }: SdkHttpError): ProtocolError | undefined {
  const text = String((data as { readonly text?: unknown }).text);
  if (text.length > MAX_REFUSAL) return undefined;
  const body = parseJson(text);
  const error = isRecord(body) ? body.error : undefined;
  if (!isRecord(error) || typeof error.code !== "number") return undefined;
  return new ProtocolError(error.code, String(error.message ?? ""));
}

/** The SDK wraps what its transport threw, once or twice, or carries it as data. */
function causeIn(error: unknown): OutboundError | AuthorizationFailure | LoginChanged | undefined {
  let current = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    if (isOurs(current)) return current;
    if (current instanceof ProtocolError && isOurs(current.data)) return current.data;
    current = current.cause;
  }
  return undefined;
}

function isOurs(error: unknown): error is OutboundError | AuthorizationFailure | LoginChanged {
  return (
    error instanceof OutboundError || error instanceof AuthorizationFailure || error instanceof LoginChanged
  );
}
