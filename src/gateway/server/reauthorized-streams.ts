import {
  abortableStream,
  CallError,
  type Middleware,
  type Readmission,
  refusalToReadmit,
} from "../../core/index.ts";

/** Interval at which a caller with a stream or a connection is authenticated again: a token may expire by itself. */
export const RECHECK_MS = 60_000;

/**
 * Ends a stream whose caller would not be authenticated again with the same rights. That is checked at an interval, also
 * while the stream is silent, and at once when the rules change, before the next item: a caller who has lost its rights
 * gets nothing more. When the gateway stops, the caller is told to subscribe again, instead of being cut off.
 */
export function reauthorizedStreams({
  rules,
  enter,
  reloads,
  stopping,
}: Readmission & {
  /** Has the event `reload` when the rules have changed. */
  readonly reloads?: EventTarget | undefined;
  /** Aborts when the gateway stops taking callers. */
  readonly stopping?: AbortSignal | undefined;
}): Middleware {
  return (next, { identity }) => ({
    ...next,
    invokeStreaming(call, root = {}) {
      const refused = () => refusalToReadmit(identity, enter());
      let known = rules();

      async function begin(ended: AbortSignal): Promise<AsyncIterator<unknown>> {
        const signal = root.signal ? AbortSignal.any([root.signal, ended]) : ended;
        const items = await next.invokeStreaming(call, { ...root, signal });
        return {
          async next() {
            const step = await items.next();
            const now = rules();
            if (step.done || now === known) return step;
            const refusal = await refused();
            known = now;
            if (!refusal) return step;
            await items.return?.();
            throw refusal;
          },
          return: async () => (await items.return?.()) ?? { done: true, value: undefined },
        };
      }

      return abortableStream(begin, (end) => {
        const look = () =>
          void refused().then((refusal) => {
            if (refusal) end(refusal);
          });
        const leave = () => end(leaving());
        const timer = setInterval(look, RECHECK_MS).unref();
        reloads?.addEventListener("reload", look);
        stopping?.addEventListener("abort", leave);
        if (stopping?.aborted) leave();
        return () => {
          clearInterval(timer);
          reloads?.removeEventListener("reload", look);
          stopping?.removeEventListener("abort", leave);
        };
      });
    },
  });
}

function leaving(): CallError {
  return new CallError("UNAVAILABLE", "This gateway is stopping. Subscribe again in a moment.");
}
