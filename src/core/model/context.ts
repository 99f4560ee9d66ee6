import type { Capabilities } from "./capabilities.ts";
import type { Identity } from "./identity.ts";
import type { JsonSchema, UnknownRecord } from "./json.ts";
import type { Reach } from "./reach.ts";

/** W3C trace context, taken in and passed on as it came. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** How far a running call is. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a handler asks its caller for mid-call; `key` tells several questions of one call apart. */
export interface InputRequest {
  readonly key: string;
  readonly message: string;
  readonly schema: JsonSchema;
  /** Comes back as `context.resume` where the handler has to run again to get its answer. */
  readonly state?: unknown;
}

/** What the caller said to a question; `content` is there where it accepted. */
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
}

/** How an operation calls others: request/response only, and only what its scoped env names. */
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

/** What a handler knows about the call that it serves. */
export interface OperationContext {
  readonly requestId: string;
  readonly parentRequestId: string | undefined;
  /** Who started the whole call. */
  readonly principal: Identity;
  /** Whose authority this call runs under. */
  readonly identity: Identity;
  /** The connection that the call came in on, where the wire has lasting ones. */
  readonly connection: string | undefined;
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
