import { CallError, type ErrorDefinition, type JsonSchema, type OperationType } from "../core/index.ts";
import type { Connection } from "./connection.ts";
import type { CallRequest } from "./envelope.ts";
import { nothingServed } from "./failures.ts";
import type { CallOptions } from "./outgoing-calls.ts";
import type { CallReport, Service } from "./ports.ts";

/** Context of a call to an offered operation. `call` and `subscribe` reach the gateway on behalf of it: as the caller that opened the connection, with what is left of its time. */
export interface OfferedCall extends Pick<Connection, "call" | "subscribe"> {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** The principal of the call: information, never authority. */
  readonly forwardedFor: string | undefined;
  /** Tells the caller how far the call is, if it wants to know. */
  readonly progress: CallReport["progress"];
  /** The way of the call so far. Pass it on with other calls of the handler, so that a circle ends; `call` and `subscribe` do. */
  readonly hops: readonly string[];
}

/** An operation that this side serves. The gateway has checked the input against the schema. */
export interface OfferedOperation {
  /** `namespace/name`; the gateway puts more before it. */
  readonly name: string;
  readonly type: OperationType;
  readonly description: string;
  readonly title?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly errors?: readonly ErrorDefinition[];
  /** Answers, or, for a subscription, yields. Throws CallErrors with codes that it declares. */
  // biome-ignore lint/suspicious/noExplicitAny: the schema says what it is, and each handler its own type for that
  readonly handler: (input: any, call: OfferedCall) => unknown;
}

const LIST = "services/list";

/** Serves the calls of a gateway to offered operations. */
export class OfferedService implements Service {
  readonly #gateway: () => Pick<Connection, "call" | "subscribe">;
  #operations: readonly OfferedOperation[] = [];

  /** `gateway` is the connection that it serves, once there is one. */
  constructor(gateway: () => Pick<Connection, "call" | "subscribe">) {
    this.#gateway = gateway;
  }

  /** Replaces the offered operations, and returns the previous ones. */
  replace(operations: readonly OfferedOperation[]): readonly OfferedOperation[] {
    const before = this.#operations;
    this.#operations = [...operations];
    return before;
  }

  async call(request: CallRequest, signal: AbortSignal, report: CallReport): Promise<unknown> {
    if (nameOf(request) === LIST) return { operations: this.#operations.map(listed) };
    const { type, handler } = this.#find(request);
    if (type === "subscription") throw wrongType("It streams: subscribe to it.");
    return handler(request.input, this.#callOf(request, signal, report));
  }

  subscribe(request: CallRequest, signal: AbortSignal, report: CallReport): AsyncIterator<unknown> {
    const { type, handler } = this.#find(request);
    if (type !== "subscription") throw wrongType("It has one answer: call it.");
    const items = handler(request.input, this.#callOf(request, signal, report));
    return (items as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  }

  #callOf(request: CallRequest, signal: AbortSignal, { progress }: CallReport): OfferedCall {
    const { forwardedFor, hops = [], deadlineMs, traceparent, tracestate } = request;
    const startedAt = performance.now();
    const onBehalf = (given: CallOptions = {}): CallOptions => ({
      hops,
      forwardedFor,
      traceparent,
      tracestate,
      ...(deadlineMs !== undefined && { deadlineMs: deadlineMs - (performance.now() - startedAt) }),
      ...given,
      signal: given.signal ? AbortSignal.any([signal, given.signal]) : signal,
    });
    return {
      signal,
      forwardedFor,
      hops,
      progress,
      call: (operation, input, given) => this.#gateway().call(operation, input, onBehalf(given)),
      subscribe: (operation, input, given) => this.#gateway().subscribe(operation, input, onBehalf(given)),
    };
  }

  #find(request: CallRequest): OfferedOperation {
    const name = nameOf(request);
    const found = this.#operations.find((operation) => operation.name === name);
    if (found) return found;
    throw nothingServed();
  }
}

function nameOf({ operationId }: CallRequest): string {
  return operationId.startsWith("/") ? operationId.slice(1) : operationId;
}

function listed({ handler: _, ...spec }: OfferedOperation): Omit<OfferedOperation, "handler"> {
  return spec;
}

function wrongType(message: string): CallError {
  return new CallError("INVALID_OPERATION_TYPE", message);
}
