import { CallError, type Entrance, endable, type Readmission, refusalToReadmit } from "../../core/index.ts";

/** How often it is looked whether those are still let in who began what lasts: a token may end by itself. */
export const RECHECK_MS = 60_000;

/** How long a stream may go on. */
export interface WhileKnownOptions extends Readmission {
  /** Aborts when the gateway takes in no more callers. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * An entrance whose streams go on only as long as their caller would be let in as it was. That is looked at from time to
 * time, also while a stream is silent, and by new rules before the next item: nothing goes to who is not known any more.
 * When the gateway stops, a stream that has no end of its own is told to come again; it would be cut off otherwise.
 */
export function whileKnown(entrance: Entrance, readmission: WhileKnownOptions): Entrance {
  const { rules, enter, stopping } = readmission;
  const refused = () => refusalToReadmit(entrance.identity, enter());
  return {
    ...entrance,
    within: (reach) => whileKnown(entrance.within(reach), readmission),
    subscribe(call, wire = {}) {
      let known = rules();

      async function begin(ended: AbortSignal): Promise<AsyncIterator<unknown>> {
        const signal = wire.signal ? AbortSignal.any([wire.signal, ended]) : ended;
        const items = await entrance.subscribe(call, { ...wire, signal });
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

      return endable(begin, (end) => {
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
  };
}

function leaving(): CallError {
  return new CallError("UNAVAILABLE", "This gateway is stopping. Subscribe again in a moment.");
}
