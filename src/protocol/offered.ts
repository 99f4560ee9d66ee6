import { CallError, type ErrorDefinition, type JsonSchema, type OperationType } from "../core/index.ts";
import type { CallRequest } from "./envelope.ts";
import { nothingServed } from "./failures.ts";
import type { Service } from "./service.ts";

/** What an offered operation knows about one call of it. */
export interface OfferedCall {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** For whom the call is made: information, never authority. */
  readonly forwardedFor: string | undefined;
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

/** Answers the calls of a gateway to what is offered to it. */
export class OfferedService implements Service {
  #operations: ReadonlyMap<string, OfferedOperation> = new Map();

  /** Takes the place of what was offered before, and answers that. */
  replace(operations: readonly OfferedOperation[]): readonly OfferedOperation[] {
    const before = [...this.#operations.values()];
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]));
    return before;
  }

  async call(request: CallRequest, signal: AbortSignal): Promise<unknown> {
    if (nameOf(request) === LIST) return { operations: [...this.#operations.values()].map(listed) };
    const { type, handler } = this.#find(request);
    if (type === "subscription") throw wrongType("It streams: subscribe to it.");
    return handler(request.input, { signal, forwardedFor: request.forwardedFor });
  }

  subscribe(request: CallRequest, signal: AbortSignal): AsyncIterator<unknown> {
    const { type, handler } = this.#find(request);
    if (type !== "subscription") throw wrongType("It has one answer: call it.");
    const items = handler(request.input, { signal, forwardedFor: request.forwardedFor });
    return (items as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  }

  #find(request: CallRequest): OfferedOperation {
    const found = this.#operations.get(nameOf(request));
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
