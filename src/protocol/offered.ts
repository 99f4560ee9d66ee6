import { CallError, type ErrorDefinition, type JsonSchema, type OperationType } from "../core/index.ts";
import type { CallRequest } from "./envelope.ts";
import { nothingServed } from "./failures.ts";
import type { Service } from "./ports.ts";

/** Context of a call to an offered operation. */
export interface OfferedCall {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** The principal of the call: information, never authority. */
  readonly forwardedFor: string | undefined;
  /** The nodes that the call has passed. Pass them on with calls of the handler, so that a circle ends. */
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
  #operations: readonly OfferedOperation[] = [];

  /** Replaces the offered operations, and returns the previous ones. */
  replace(operations: readonly OfferedOperation[]): readonly OfferedOperation[] {
    const before = this.#operations;
    this.#operations = [...operations];
    return before;
  }

  async call(request: CallRequest, signal: AbortSignal): Promise<unknown> {
    if (nameOf(request) === LIST) return { operations: this.#operations.map(listed) };
    const { type, handler } = this.#find(request);
    if (type === "subscription") throw wrongType("It streams: subscribe to it.");
    return handler(request.input, callOf(request, signal));
  }

  subscribe(request: CallRequest, signal: AbortSignal): AsyncIterator<unknown> {
    const { type, handler } = this.#find(request);
    if (type !== "subscription") throw wrongType("It has one answer: call it.");
    const items = handler(request.input, callOf(request, signal));
    return (items as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  }

  #find(request: CallRequest): OfferedOperation {
    const name = nameOf(request);
    const found = this.#operations.find((operation) => operation.name === name);
    if (found) return found;
    throw nothingServed();
  }
}

function callOf({ forwardedFor, hops = [] }: CallRequest, signal: AbortSignal): OfferedCall {
  return { signal, forwardedFor, hops };
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
