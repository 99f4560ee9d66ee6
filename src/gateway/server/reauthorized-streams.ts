import {
  abortableStream,
  CallError,
  type Middleware,
  type Readmission,
  refusalToReadmit,
} from "../../core/index.ts";

/** How often a caller with a stream or a connection is authenticated again: a token may expire by itself. */
export const RECHECK_MS = 60_000;

/**
 * Ends a stream whose caller would not be authenticated again as it was. That is checked from time to time, also while the
 * stream is silent, and before the next item when the rules are new: nothing goes to a caller who has lost its rights.
 * When the gateway stops, an endless stream is told to come again, where it would be cut off otherwise.
 */
export function reauthorizedStreams({
  rules,
  enter,
  stopping,
}: Readmission & {
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
        const look = async () => {
          const refusal = await refused();
          if (refusal) end(refusal);
        };
        const leave = () => end(leaving());
        const timer = setInterval(() => void look(), RECHECK_MS).unref();
        stopping?.addEventListener("abort", leave);
        if (stopping?.aborted) leave();
        return () => {
          clearInterval(timer);
          stopping?.removeEventListener("abort", leave);
        };
      });
    },
  });
}

function leaving(): CallError {
  return new CallError("UNAVAILABLE", "This gateway is stopping. Subscribe again in a moment.");
}
