import type { CallError } from "../core/index.ts";
import { CREDIT_WINDOW } from "./limits.ts";

const DONE = { done: true as const, value: undefined };

/** Granted in halves of the window: the producer need not wait, and one grant serves many items. */
const GRANT = CREDIT_WINDOW / 2;

/** Callbacks about the consumer of a stream. */
interface QueueListener {
  /** The consumer accepts more items. */
  readonly onGrant: (n: number) => void;
  /** The consumer stopped. */
  readonly onDropped: () => void;
}

interface Asking {
  readonly resolve: (step: IteratorResult<unknown, undefined>) => void;
  readonly reject: (error: CallError) => void;
}

/** The consumer's end of a stream: a queue of unread items, never more than were granted. */
export class ItemQueue implements AsyncIterableIterator<unknown, undefined> {
  readonly #listener: QueueListener;
  #items: unknown[] = [];
  #asking: Asking[] = [];
  /** Granted and not come in yet. */
  #outstanding = CREDIT_WINDOW;
  /** Taken and not granted again yet. */
  #taken = 0;
  #open = true;
  #failure: CallError | undefined;

  constructor(listener: QueueListener) {
    this.#listener = listener;
  }

  /** Items that have come in and wait to be taken. */
  get length(): number {
    return this.#items.length;
  }

  /** Adds an item; false if it was not granted. */
  push(item: unknown): boolean {
    if (this.#outstanding === 0) return false;
    this.#outstanding--;
    const asking = this.#asking.shift();
    if (!asking) this.#items.push(item);
    else {
      asking.resolve({ done: false, value: item });
      this.#take();
    }
    return true;
  }

  /** Ends the input. Queued items are still handed out, then the error, once, if there is one. */
  end(error?: CallError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#failure = error;
    for (const asking of this.#asking.splice(0)) this.#answerEnd(asking);
  }

  /** Ends it at once and drops queued items. */
  cut(error: CallError): void {
    this.#items = [];
    this.end(error);
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    return new Promise((resolve, reject) => {
      if (this.#items.length > 0) {
        resolve({ done: false, value: this.#items.shift() });
        this.#take();
      } else if (this.#open) this.#asking.push({ resolve, reject });
      else this.#answerEnd({ resolve, reject });
    });
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    const wasOpen = this.#open;
    this.#items = [];
    this.#failure = undefined;
    this.end();
    if (wasOpen) this.#listener.onDropped();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): void {
    if (!this.#open || ++this.#taken < GRANT) return;
    this.#outstanding += this.#taken;
    this.#listener.onGrant(this.#taken);
    this.#taken = 0;
  }

  #answerEnd({ resolve, reject }: Asking): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) reject(failure);
    else resolve(DONE);
  }
}
