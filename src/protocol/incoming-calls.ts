import { CallError, type Log, stackOf } from "../core/index.ts";
import { type CallRequest, MAX_TEXT_LENGTH, problemOfText, writeEnvelope } from "./envelope.ts";
import {
  aborted,
  answersPiledUp,
  faulty,
  slowConsumer,
  timedOut,
  tooManyBytes,
  tooManyCalls,
  unsendableOutput,
} from "./failures.ts";
import { type ConnectionLimits, CREDIT_WINDOW } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import { PendingTable } from "./pending-table.ts";
import type { CallReport, Service, Timers } from "./ports.ts";

/** Time that a service has to answer after its deadline has passed. */
const LAST_WORD_MS = 1;

/** Dependencies of IncomingCalls. */
interface IncomingOptions {
  readonly service: Service;
  readonly outbox: Outbox;
  readonly timers: Timers;
  readonly limits: ConnectionLimits;
  readonly log: Log;
}

/** Progress of one call is sent at most this often. */
const PROGRESS_MS = 100;

/** One call of the other side that has not ended. */
interface Served {
  readonly id: string;
  readonly stream: boolean;
  /** Size of its request. */
  readonly size: number;
  readonly controller: AbortController;
  open: boolean;
  /** Id of the call in our log; undefined if unknown, or already sent to the other side. */
  requestId: string | undefined;
  note?: string;
  /** Remaining credit of the consumer. */
  credit: number;
  /** Wakes the producer: credit or space arrived, or the call is over. */
  onCredit: (() => void) | undefined;
  onEnd: (() => void) | undefined;
  /** Tells the handler that no more items are wanted. */
  release: (() => void) | undefined;
}

/** Calls of the other side: each is answered once, or aborted, and then forgotten. */
export class IncomingCalls {
  readonly #options: IncomingOptions;
  readonly #table: PendingTable<Served>;
  #streams = 0;
  /** Bytes of the requests that run. */
  #running = 0;
  /** Length of the answers and items that wait for room. */
  #waiting = 0;

  constructor(options: IncomingOptions) {
    this.#options = options;
    this.#table = new PendingTable(options.timers, (served) => this.#expire(served));
  }

  get size(): number {
    return this.#table.size;
  }

  /** Number of streams among them. */
  get streams(): number {
    return this.#streams;
  }

  has(id: string): boolean {
    return this.#table.has(id);
  }

  /** Starts a call whose request has `size` bytes; the id must be free. False: there was no room for it. */
  start(id: string, request: CallRequest, size: number): boolean {
    const refusal = this.#noRoomFor(size);
    if (refusal) {
      this.#options.outbox.send(writeEnvelope("call.error", id, refusal.toJSON()));
      return false;
    }
    const served: Served = {
      id,
      stream: request.stream === true,
      size,
      controller: new AbortController(),
      open: true,
      requestId: undefined,
      credit: CREDIT_WINDOW,
      onCredit: undefined,
      onEnd: undefined,
      release: undefined,
    };
    this.#table.add(id, served, request.deadlineMs);
    this.#running += size;
    if (served.stream) this.#streams++;
    void (served.stream ? this.#stream(served, request) : this.#answer(served, request));
    return true;
  }

  /** The caller wants nothing more of it. Nothing is sent. */
  abort(id: string): void {
    const served = this.#table.get(id);
    if (served) this.#end(served, aborted());
  }

  /** Grants the consumer's credit for more items. */
  grant(id: string, n: number): void {
    const served = this.#table.get(id);
    if (!served?.stream) return;
    served.credit = Math.min(served.credit + n, Number.MAX_SAFE_INTEGER);
    served.onCredit?.();
  }

  /** Ends everything without a word: the connection is gone. */
  abortAll(reason: CallError): void {
    for (const served of this.#table.takeAll()) this.#end(served, reason);
  }

  /** Only the service knows whether the call may be repeated, so its own answer to the abort goes first. */
  #expire(served: Served): void {
    const { id, controller } = served;
    if (controller.signal.aborted) this.#finish(served, timedOut());
    else {
      controller.abort(timedOut());
      this.#table.add(id, served, LAST_WORD_MS);
    }
  }

  async #answer(served: Served, request: CallRequest): Promise<void> {
    try {
      const report = this.#report(served, request);
      const output = await this.#options.service.call(request, served.controller.signal, report);
      const text = this.#toText(served, output);
      if (this.#options.outbox.hasRoom) this.#finish(served, text);
      else if (served.open) await this.#room(served, text, () => this.#finish(served, text));
    } catch (error) {
      this.#finish(served, this.#toCallError(error, request));
    }
  }

  async #stream(served: Served, request: CallRequest): Promise<void> {
    const { service, outbox } = this.#options;
    try {
      const items = await service.subscribe(request, served.controller.signal, this.#report(served, request));
      served.release = () => release(items);
      if (!served.open) served.release();
      while (served.open) {
        if (served.credit === 0) await this.#credit(served);
        if (!served.open) break;
        // Pulled only now: no item is produced without credit.
        const step = await items.next();
        if (!served.open) break;
        if (step.done) {
          this.#finish(served, writeEnvelope("call.completed", served.id, { requestId: served.requestId }));
          break;
        }
        const text = this.#toText(served, step.value);
        served.requestId = undefined;
        served.credit--;
        if (outbox.hasRoom) outbox.send(text);
        else await this.#room(served, text, () => outbox.send(text));
      }
    } catch (error) {
      this.#finish(served, this.#toCallError(error, request));
    }
  }

  /** Waits for credit. */
  #credit(served: Served): Promise<void> {
    return this.#wait(served, (go) => {
      served.onCredit = go;
      return () => {
        served.onCredit = undefined;
      };
    });
  }

  /** Waits for room, and sends at once when there is; nothing if the call is over by then. */
  async #room(served: Served, text: string, send: () => void): Promise<void> {
    const { outbox, limits } = this.#options;
    if (this.#waiting > 0 && this.#waiting + text.length > limits.maxHeldBytes)
      return this.#finish(served, answersPiledUp(limits.maxHeldBytes));
    this.#waiting += text.length;
    await this.#wait(served, (go) =>
      outbox.whenRoom(() => {
        send();
        go();
      }),
    );
    this.#waiting -= text.length;
  }

  #noRoomFor(size: number): CallError | undefined {
    const { maxIncomingCalls, maxHeldBytes } = this.#options.limits;
    if (this.#table.size >= maxIncomingCalls) return tooManyCalls(maxIncomingCalls);
    return this.#running > 0 && this.#running + size > maxHeldBytes ? tooManyBytes(maxHeldBytes) : undefined;
  }

  /** Waits until it may go on or the call is over; a stream not longer than a consumer may take. */
  #wait(served: Served, begin: (go: () => void) => () => void): Promise<void> {
    const { timers, limits } = this.#options;
    const { slowConsumerMs } = limits;
    return new Promise((resolve) => {
      const slow = () => this.#finish(served, slowConsumer(slowConsumerMs));
      const timer = served.stream ? timers.start(slow, slowConsumerMs) : undefined;
      const go = () => {
        timers.stop(timer);
        cancel();
        served.onEnd = undefined;
        resolve();
      };
      const cancel = begin(go);
      served.onEnd = go;
    });
  }

  /** Sends the last envelope of a call, if that has not been sent, and lets go of everything. */
  #finish(served: Served, last: string | CallError): void {
    if (!served.open) return;
    const isError = last instanceof CallError;
    this.#options.outbox.send(isError ? this.#errorText(served, last) : last);
    this.#end(served, isError ? last : undefined);
  }

  #end(served: Served, reason: CallError | undefined): void {
    this.#table.take(served.id);
    served.open = false;
    this.#running -= served.size;
    if (served.stream) this.#streams--;
    if (reason) served.controller.abort(reason);
    served.onEnd?.();
    if (reason) served.release?.();
  }

  #toText({ id, requestId, note }: Served, output: unknown): string {
    const answer = { output: output === undefined ? null : output, note, requestId };
    const text = writeEnvelope("call.responded", id, answer);
    const problem = problemOfText(text, this.#options.limits);
    if (problem !== undefined) throw unsendableOutput(problem);
    return text;
  }

  /** Details that cannot be sent are left out rather than the error. */
  #errorText({ id, requestId }: Served, error: CallError): string {
    try {
      const text = writeEnvelope("call.error", id, { ...error.toJSON(), requestId });
      if (problemOfText(text, this.#options.limits) === undefined) return text;
    } catch {
      this.#options.log.warn("The details of an error have no form in JSON", { code: error.code });
    }
    const { code, message, retryable } = error;
    return writeEnvelope("call.error", id, { code, message: message.slice(0, 4_096), retryable, requestId });
  }

  #report(served: Served, { progress: isWanted }: CallRequest): CallReport {
    const { outbox, timers } = this.#options;
    let sentAt = Number.NEGATIVE_INFINITY;
    return {
      named: (requestId) => {
        served.requestId = requestId;
      },
      noted: (note) => {
        served.note = note;
      },
      progress: ({ progress, total, message }) => {
        if (!isWanted || !served.open || !outbox.hasRoom || timers.now() - sentAt < PROGRESS_MS) return;
        // A handler may say anything, and what is not a number would close the connection.
        if (!Number.isFinite(progress)) return;
        sentAt = timers.now();
        const update = {
          progress,
          ...(total !== undefined && Number.isFinite(total) && { total }),
          ...(message !== undefined && { message: String(message).slice(0, MAX_TEXT_LENGTH) }),
        };
        outbox.send(writeEnvelope("call.progress", served.id, update));
      },
    };
  }

  #toCallError(thrown: unknown, { operationId: operation }: CallRequest): CallError {
    if (thrown instanceof CallError) return thrown;
    this.#options.log.error("A call of a peer failed", { operation, error: stackOf(thrown) });
    return faulty();
  }
}

/** A handler that waits for something may never answer return(), so it is not awaited. */
function release(items: AsyncIterator<unknown>): void {
  void Promise.resolve()
    .then(() => items.return?.())
    .catch(() => {});
}
