import type { CallError } from "../model/index.ts";

/**
 * A stream that not only its reader can end. `begin` starts it, and must end it with the signal; `watch` is told how to end
 * it with an error for the reader, and answers what stops the watching once the stream is over.
 */
export async function endable(
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
