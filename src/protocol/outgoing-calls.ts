import { CallError, type Progress } from "../core/index.ts";
import {
  type CallRequest,
  type Named,
  ProtocolViolation,
  problemOfRequest,
  problemOfText,
  type SendLimits,
  writeEnvelope,
} from "./envelope.ts";
import { disconnected, noAnswer, reasonOf, timedOut, unsendable } from "./failures.ts";
import { ItemQueue } from "./item-queue.ts";
import { type ConnectionLimits, CREDIT_WINDOW } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import { PendingTable } from "./pending-table.ts";
import type { CloseReason, Timers } from "./ports.ts";

/** Progress that comes faster is dropped, and counts as unasked; senders pause twice as long. */
const LEAST_PROGRESS_MS = 50;

/** Options of an outgoing call. */
export interface CallOptions extends Omit<CallRequest, "operationId" | "input" | "stream" | "progress"> {
  /** Aborts the call, here and on the other side. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the id of the call in the other side's log, if that side sends it. */
  readonly onNamed?: ((requestId: string) => void) | undefined;
  /** Receives how far a call is that has one answer, if the other side says so. */
  readonly onProgress?: ((update: Progress) => void) | undefined;
}

/** Dependencies of OutgoingCalls. */
interface OutgoingOptions {
  readonly outbox: Outbox;
  readonly timers: Timers;
  readonly limits: SendLimits & Pick<ConnectionLimits, "deadlineMs">;
  /** Called for each abandoned call with the number of envelopes that may still arrive for it. */
  readonly onGivenUp: (envelopes: number) => void;
}

/** A call that waits for its answer. */
interface Consumer {
  readonly stream: boolean;
  readonly named: CallOptions["onNamed"];
  readonly progress?: CallOptions["onProgress"];
  /** Accepts an item; false if none was granted. */
  readonly item: (output: unknown) => boolean | undefined;
  /** Ended by the other side, with or without an error, or with the connection. */
  readonly end: (error?: CallError) => void;
  /** Ended on this side. */
  readonly cut: (error: CallError) => void;
}

/** One call that the other side has not ended. */
interface Asked {
  readonly id: string;
  readonly consumer: Consumer;
  /** When progress was last told. */
  progressAt: number;
  /** Takes a request back that still waits for room; undefined once it is sent. */
  unsend: (() => void) | undefined;
  /** Lets go of the caller's signal. */
  letGo: (() => void) | undefined;
}

/** The calls that this side makes: each ends once, by an answer, an error, an abort or its deadline. */
export class OutgoingCalls {
  readonly #options: OutgoingOptions;
  readonly #table: PendingTable<Asked>;
  /** Ids of both sides share one space, so that ours must not be guessed by counting. */
  readonly #prefix = crypto.randomUUID().slice(0, 13);
  #count = 0;
  #closed: CloseReason | undefined;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#table = new PendingTable(options.timers, (asked) => this.#cut(asked, timedOut()));
  }

  get size(): number {
    return this.#table.size;
  }

  has(id: string): boolean {
    return this.#table.has(id);
  }

  /** Asks for one answer. */
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = (error: CallError = noAnswer()) => reject(error);
      const item = (output: unknown) => {
        resolve(output);
        return true;
      };
      const operationId = toOperationId(operation);
      const { deadlineMs } = this.#options.limits;
      const request = options
        ? { deadlineMs, ...said(operationId, input, options) }
        : { operationId, input, deadlineMs };
      const consumer = {
        stream: false,
        named: options?.onNamed,
        progress: options?.onProgress,
        item,
        end,
        cut: end,
      };
      this.#start(request, consumer, options?.signal);
    });
  }

  /** Starts a subscription at once; errors of the call are thrown by the first `next`. */
  subscribe(
    operation: string,
    input: unknown,
    options: CallOptions = {},
  ): AsyncIterableIterator<unknown, undefined> {
    let asked: Asked | undefined;
    const queue = new ItemQueue({
      onGrant: (n) => asked && this.#options.outbox.send(writeEnvelope("call.credit", asked.id, { n })),
      onDropped: () => asked && this.#withdraw(asked),
    });
    const request = { ...said(toOperationId(operation), input, options), stream: true };
    const consumer: Consumer = {
      stream: true,
      named: options.onNamed,
      item: (output) => queue.push(output),
      end: (error) => queue.end(error),
      cut: (error) => queue.cut(error),
    };
    asked = this.#start(request, consumer, options.signal);
    return queue;
  }

  /** The other side answered, or sent an item. */
  responded(id: string, output: unknown, about: Named): void {
    const asked = this.#name(id, about);
    if (!asked) return;
    if (asked.consumer.stream) {
      if (!asked.consumer.item(output)) {
        throw new ProtocolViolation("A stream has more items than credit was granted for.");
      }
    } else this.#take(id)?.consumer.item(output);
  }

  /** The other side says how far a call is. False: more often than it may, or unasked. */
  progressed(id: string, { progress, total, message }: Progress): boolean {
    const asked = this.#table.get(id);
    const now = this.#options.timers.now();
    if (!asked?.consumer.progress || now - asked.progressAt < LEAST_PROGRESS_MS) return false;
    asked.progressAt = now;
    const rest = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    asked.consumer.progress({ progress, ...rest });
    return true;
  }

  /** The other side has no more items. */
  completed(id: string, about: Named): void {
    this.#name(id, about);
    this.#take(id)?.consumer.end();
  }

  /** The other side ended a call with an error. */
  failed(id: string, error: CallError, about: Named = {}): void {
    this.#name(id, about);
    this.#take(id)?.consumer.end(error);
  }

  /** Fails all calls, and every later one. */
  close(reason: CloseReason): void {
    this.#closed = reason;
    for (const { consumer, letGo, unsend } of this.#table.takeAll()) {
      letGo?.();
      unsend?.();
      consumer.end(disconnected(reason));
    }
  }

  #start(request: CallRequest, consumer: Consumer, signal: AbortSignal | undefined): Asked | undefined {
    const { outbox, timers, limits } = this.#options;
    const id = `${this.#prefix}-${++this.#count}`;
    try {
      if (this.#closed) throw disconnected(this.#closed);
      if (signal?.aborted) throw reasonOf(signal);
      const text = requestText(id, request, limits);
      const asked: Asked = {
        id,
        consumer,
        progressAt: Number.NEGATIVE_INFINITY,
        unsend: undefined,
        letGo: undefined,
      };
      this.#table.add(id, asked, request.deadlineMs);
      if (signal) this.#follow(signal, asked);
      if (outbox.hasRoom) outbox.send(text);
      else {
        const startedAt = timers.now();
        asked.unsend = outbox.whenRoom(() => {
          asked.unsend = undefined;
          const left = leftOf(request, timers.now() - startedAt);
          outbox.send(requestText(id, left, limits));
        });
      }
      return asked;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      consumer.cut(error);
      return undefined;
    }
  }

  #follow(signal: AbortSignal, asked: Asked): void {
    const onAbort = () => this.#cut(asked, reasonOf(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    asked.letGo = () => signal.removeEventListener("abort", onAbort);
  }

  /** Ends a call on this side, and tells the other. */
  #cut(asked: Asked, error: CallError): void {
    this.#withdraw(asked);
    asked.consumer.cut(error);
  }

  #withdraw(asked: Asked): void {
    this.#take(asked.id);
    asked.letGo?.();
    if (asked.unsend) {
      asked.unsend();
      return;
    }
    this.#options.outbox.send(writeEnvelope("call.aborted", asked.id, {}));
    this.#options.onGivenUp(asked.consumer.stream ? CREDIT_WINDOW + 1 : 1);
  }

  #name(id: string, { requestId }: Named): Asked | undefined {
    const asked = this.#table.get(id);
    if (requestId !== undefined) asked?.consumer.named?.(requestId);
    return asked;
  }

  #take(id: string): Asked | undefined {
    const asked = this.#table.take(id);
    asked?.letGo?.();
    return asked;
  }
}

/** The payload of call.requested. */
function said(operationId: string, input: unknown, options: CallOptions): CallRequest {
  const { signal: _, onNamed: __, onProgress, deadlineMs, ...rest } = options;
  // A deadline in the past becomes 0.
  const left = deadlineMs === undefined ? {} : { deadlineMs: Math.max(0, deadlineMs) };
  return { operationId, input, ...rest, ...left, ...(onProgress && { progress: true }) };
}

/** The remaining time of a request after it waited to be sent. */
function leftOf(request: CallRequest, waited: number): CallRequest {
  const { deadlineMs } = request;
  return deadlineMs === undefined ? request : { ...request, deadlineMs: Math.max(0, deadlineMs - waited) };
}

/** An envelope that would make the other side close the connection fails this call only. */
function requestText(id: string, request: CallRequest, limits: SendLimits): string {
  let text: string;
  try {
    text = writeEnvelope("call.requested", id, request);
  } catch {
    throw unsendable("its input has no form in JSON");
  }
  const wrong = problemOfRequest(request);
  const problem = wrong === undefined ? problemOfText(text, limits) : `it ${wrong}`;
  if (problem !== undefined) throw unsendable(problem);
  return text;
}

function toOperationId(operation: string): string {
  return operation.startsWith("/") ? operation : `/${operation}`;
}
