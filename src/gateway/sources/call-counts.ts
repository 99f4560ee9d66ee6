import {
  CallError,
  type Handler,
  iteratorOf,
  type OnceHandler,
  type SourceSet,
  type StreamHandler,
} from "../../core/index.ts";
import { asSource } from "../../observe/index.ts";

/** Of how many calls the latencies are kept. */
const WINDOW = 512;

/** How long calls took, in milliseconds. */
interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** What is known about the calls of one source. */
export interface CallReport {
  readonly calls: number;
  readonly errors: number;
  /** The last call that failed, and when it did. */
  readonly lastFailure?: { readonly code: string; readonly time: string };
  /** Of the last calls; absent before the first one has ended. */
  readonly latencyMs?: Latency;
}

/** Counts the calls of one source. One whose caller went away is a call, but neither an error nor slow. */
export class CallCounts {
  #calls = 0;
  #errors = 0;
  #ended = 0;
  #lastFailure: CallReport["lastFailure"];
  readonly #latencies = new Float64Array(WINDOW);

  /** A call begins; answers when. */
  begin(): number {
    this.#calls++;
    return performance.now();
  }

  /** It was answered. */
  answered(startedAt: number): void {
    this.#latencies[this.#ended++ % WINDOW] = performance.now() - startedAt;
  }

  /** It failed, or was given up. */
  failed(startedAt: number, signal: AbortSignal, error: unknown): void {
    const { reason } = signal;
    if (reason instanceof CallError && reason.code === "ABORTED") return;
    this.#errors++;
    const code = error instanceof CallError ? error.code : "INTERNAL";
    this.#lastFailure = { code, time: new Date().toISOString() };
    this.answered(startedAt);
  }

  report(): CallReport {
    const kept = this.#latencies.slice(0, Math.min(this.#ended, WINDOW)).sort();
    const at = (share: number) =>
      round(kept[Math.min(kept.length - 1, Math.floor(kept.length * share))] ?? 0);
    return {
      calls: this.#calls,
      errors: this.#errors,
      ...(this.#lastFailure && { lastFailure: this.#lastFailure }),
      ...(kept.length > 0 && { latencyMs: { p50: at(0.5), p95: at(0.95), max: at(1) } }),
    };
  }
}

/** The same set, with its calls counted and errors that they leave behind known as its own. Every kind of source is counted here, and nowhere else. */
export function counting(set: SourceSet, counts: CallCounts): SourceSet {
  return {
    ...set,
    registrations: set.registrations.map((registration) => ({
      ...registration,
      handler: countingHandler(registration.handler, counts, set.source.name),
    })),
  };
}

function countingHandler(handler: Handler, counts: CallCounts, source: string): Handler {
  return handler.kind === "once"
    ? countingOnce(handler, counts, source)
    : countingStream(handler, counts, source);
}

function countingOnce(handler: OnceHandler, counts: CallCounts, source: string): OnceHandler {
  return {
    kind: "once",
    async run(input, context) {
      const startedAt = counts.begin();
      try {
        const answer = await asSource(source, () => handler.run(input, context));
        counts.answered(startedAt);
        return answer;
      } catch (error) {
        counts.failed(startedAt, context.signal, error);
        throw error;
      }
    },
  };
}

/** A stream is as slow as its first item. No generator: it would keep `return` waiting for the next item. */
function countingStream(handler: StreamHandler, counts: CallCounts, source: string): StreamHandler {
  return {
    kind: "stream",
    run(input, context) {
      const startedAt = counts.begin();
      let isFirst = true;
      const failing = <Result>(work: () => Result): Result => {
        try {
          return work();
        } catch (error) {
          counts.failed(startedAt, context.signal, error);
          throw error;
        }
      };
      const items = failing(() => asSource(source, () => iteratorOf(handler.run(input, context))));
      const iterator: AsyncIterableIterator<unknown> = {
        async next() {
          try {
            const step = await asSource(source, () => items.next());
            if (isFirst) counts.answered(startedAt);
            isFirst = false;
            return step;
          } catch (error) {
            counts.failed(startedAt, context.signal, error);
            throw error;
          }
        },
        return: async () => (await items.return?.()) ?? { done: true, value: undefined },
        [Symbol.asyncIterator]: () => iterator,
      };
      return iterator;
    },
  };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
