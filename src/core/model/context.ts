import type { Capabilities, Identity, Reach } from "./identity.ts";
import type { JsonSchema, UnknownRecord } from "./json.ts";

/** W3C trace context, taken in and passed on as it came. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Progress of a running call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A question of a handler to its caller mid-call; `key` tells several questions of one call apart. */
export interface InputRequest {
  readonly key: string;
  readonly message: string;
  readonly schema: JsonSchema;
  /** Comes back as `context.resume` where the handler has to run again to get its answer. */
  readonly state?: unknown;
}

/** The caller's answer to a question, with `content` if it accepted. */
export interface InputAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: unknown;
}

/** Narrows one composed call. */
export interface ComposeOptions {
  readonly select?: string;
  /** Aborts this child only; the parent's own signal always does too. */
  readonly signal?: AbortSignal;
  /** A shorter deadline for this child; the parent's is never extended. */
  readonly deadlineMs?: number;
  /**
   * `continue`: once started, this child runs on when the caller of the whole call goes away or its deadline passes, up
   * to a deadline of its own. Nothing new starts below an aborted call. `abort`, the default: it is aborted too.
   */
  readonly onAbort?: "abort" | "continue";
}

/** Calls other operations: request/response only, and only those that the scoped env names. */
export interface OperationEnv {
  invoke(operation: string, input?: unknown, options?: ComposeOptions): Promise<unknown>;
}

/** The log as an operation writes to it; each line says which operation, source and request it is about. */
export interface OperationLog {
  debug(message: string, fields?: UnknownRecord): void;
  info(message: string, fields?: UnknownRecord): void;
  warn(message: string, fields?: UnknownRecord): void;
  error(message: string, fields?: UnknownRecord): void;
}

/** Everything that a handler knows about the call that it serves. */
export interface OperationContext {
  readonly requestId: string;
  readonly parentRequestId: string | undefined;
  /** The caller that started the whole call. */
  readonly principal: Identity;
  /** The identity under whose authority this call runs. */
  readonly identity: Identity;
  /** The connection that the call came in on, where the wire has lasting ones. */
  readonly connection: string | undefined;
  /** The key of operations that only this caller has. Services that show operations keep to it. */
  readonly overlay: string | undefined;
  /** The reach of the endpoint that the call came by. Services that show operations keep to it. */
  readonly reach: Reach | undefined;
  /** Information for logs, never authority. */
  readonly forwardedFor: string | undefined;
  readonly capabilities: Capabilities;
  readonly metadata: UnknownRecord;
  readonly trace: Trace | undefined;
  /** The nodes that handed the call on before it came here, the latest last: how loops are found, and nothing else. */
  readonly hops: readonly string[];
  readonly env: OperationEnv;
  /**
   * As the platform's fetch, by the outbound client of the host: it screens addresses, bounds answers, ends with the call
   * and carries its trace. Throws a CallError; answers with any HTTP status are answers.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  readonly log: OperationLog;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch, as the clock is set when you read it; undefined where nothing limits the call. */
  readonly deadline: number | undefined;
  /** The `state` of the question that is answered now, where the handler runs again because of it. */
  readonly resume: unknown;
  /** Nothing may be changed: for a handler of an operation that says `dry: "handled"`, and for what it composes. */
  readonly dryRun: boolean;
  /** A JMESPath expression that the handler applies to its output; set only for registrations that say `selects`. */
  readonly select: string | undefined;
  /** Composed by another operation, not called from outside. */
  readonly internal: boolean;
  /** A text or value without the secrets of this call. Answers are redacted as a whole; use it for what you cut before that. */
  redact<Value>(value: Value): Value;
  /** Notes under which id another node runs this call: the log has it next to the own one. */
  handedOn(remoteRequestId: string): void;
  progress(update: Progress): void;
  requestInput(request: InputRequest): Promise<InputAnswer>;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-[\x21-\x7e]{0,200})?$/;
/** Characters that a header can carry; a trace state may come on other wires too. */
const TRACESTATE = /^[\x20-\x7e]{0,512}$/;
/** Version 00 has four parts and no more; later versions may add more. */
const LENGTH_OF_00 = 55;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/** The place of one call in a trace, as W3C Trace Context has it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly sampled: boolean;
}

/** Reads a trace as it came; undefined where it breaks the rules of W3C Trace Context. */
export function parseTrace(traceparent: unknown, tracestate?: unknown): Trace | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || traceId === NO_TRACE || spanId === NO_SPAN)
    return undefined;
  if (version === "00" && traceparent.length !== LENGTH_OF_00) return undefined;
  return typeof tracestate === "string" && TRACESTATE.test(tracestate)
    ? { traceparent, tracestate }
    : { traceparent };
}

/** Opens a span for a call: below the trace that it came with, or as the first of a new one. */
export function openSpan(trace: Trace | undefined): Span {
  const [, , traceId, parentSpanId, flags = "01"] = TRACEPARENT.exec(trace?.traceparent ?? "") ?? [];
  return {
    traceId: traceId ?? randomHex(16),
    spanId: randomHex(8),
    parentSpanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
  };
}

/** The trace that a call hands on to what it calls. */
export function traceOf(span: Span, came: Trace | undefined): Trace {
  const traceparent = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`;
  return came?.tracestate === undefined ? { traceparent } : { traceparent, tracestate: came.tracestate };
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
