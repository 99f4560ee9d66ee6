import type { CallError } from "../model/index.ts";
import type { Lifetime } from "./lifetime.ts";

/** Stages of dispatch for a stream. */
interface StreamStages {
  /** Maps an item to the consumer's; may refuse it with a CallError. */
  readonly onItem: (item: unknown) => unknown;
  /** Maps a thrown value to the consumer's error. */
  readonly onThrown: (thrown: unknown) => CallError;
  /** Receives the handler's end if it is released earlier. */
  readonly onReleased: (ended: Promise<unknown>) => void;
  /** Last item in place of the failure, where there is one. */
  readonly lastItem: () => unknown;
  /** Called once, with the error that ended the stream, if any. */
  readonly onEnd: (error?: CallError) => void;
}

const DONE = { done: true as const, value: undefined };

/** The iterator of a subscription's handler; throws with a fix if the handler did not return an async iterable. */
export function iteratorOf(items: unknown): AsyncIterator<unknown> {
  if (typeof items === "object" && items !== null && Symbol.asyncIterator in items)
    return (items as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  throw new TypeError(
    "The handler of a subscription must return an async iterable. Make it an async generator: async *handler(input, context) {…}",
  );
}

/** A stream of one item. */
export async function* onlyItem(item: unknown): AsyncIterableIterator<unknown> {
  yield item;
}

/**
 * Hands a handler's items on one at a time, as the consumer asks for them. However the stream ends
 * (finished, failed, dropped, aborted, out of time), the handler is released.
 */
export function paceStream(
  source: AsyncIterator<unknown>,
  lifetime: Lifetime,
  stages: StreamStages,
): AsyncIterableIterator<unknown> {
  let open = true;
  let failure: CallError | undefined;
  let pulling: Promise<IteratorResult<unknown>> | undefined;

  function close(): void {
    open = false;
    lifetime.end();
  }

  /** A handler that waits for something may never answer to return(), so it is not awaited. */
  function release(): void {
    const returned = Promise.resolve().then(() => source.return?.());
    stages.onReleased(Promise.allSettled([pulling, returned]));
  }

  function fail(error: CallError): void {
    close();
    release();
    failure = error;
    stages.onEnd(error);
  }

  /** The failure goes to the consumer once; after that the stream is simply over. */
  function ended(): IteratorResult<unknown> {
    const error = failure;
    failure = undefined;
    if (!error) return DONE;
    const value = stages.lastItem();
    if (value === undefined) throw error;
    return { done: false, value };
  }

  // Also while the consumer is busy and does not pull.
  const onCut = () => open && lifetime.cutBy && fail(stages.onThrown(lifetime.cutBy));
  lifetime.signal.addEventListener("abort", onCut, { once: true });

  return {
    async next() {
      if (!open) return ended();
      try {
        pulling = source.next();
        const step = await lifetime.within(pulling).catch((thrown) => {
          throw stages.onThrown(thrown);
        });
        if (!open) return ended();
        if (!step.done) return { done: false, value: stages.onItem(step.value) };
        close();
        stages.onEnd();
      } catch (error) {
        if (open) fail(error as CallError);
      }
      return ended();
    },

    async return() {
      if (!open) return DONE;
      open = false;
      lifetime.abort();
      release();
      stages.onEnd();
      return DONE;
    },

    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * A stream that not only its reader can end. `begin` starts it, and must end it with the signal; `watch` is told how to end
 * it with an error for the reader, and answers what stops the watching once the stream is over.
 */
export async function abortableStream(
  begin: (ended: AbortSignal) => Promise<AsyncIterator<unknown>>,
  watch: (end: (error: CallError) => void) => () => void,
): Promise<AsyncIterableIterator<unknown>> {
  const ended = new AbortController();
  const items = await begin(ended.signal);
  const stop = watch((error) => ended.abort(error));
  const own: AsyncIterableIterator<unknown> = {
    async next() {
      try {
        const step = await items.next();
        if (step.done) stop();
        return step;
      } catch (error) {
        stop();
        throw ended.signal.aborted ? ended.signal.reason : error;
      }
    },
    async return() {
      stop();
      return (await items.return?.()) ?? { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => own,
  };
  return own;
}
