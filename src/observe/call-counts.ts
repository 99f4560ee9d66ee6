import {
  CallError,
  type Handler,
  iteratorOf,
  type OnceHandler,
  type Route,
  type SourceSet,
} from "../core/index.ts";
import { asSource } from "./stray-errors.ts";

/** Number of calls whose latencies are kept. */
const WINDOW = 512;

/** Counts of the calls of one source. */
export interface CallReport {
  readonly calls: number;
  readonly errors: number;
  /** The last failed call. */
  readonly lastFailure?: { readonly code: string; readonly time: string };
  /** Of the last calls; absent before the first one has ended. */
  readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly max: number };
}

/** Counts the calls of one source. A call whose caller went away is neither an error nor slow. */
export class CallCounts {
  #calls = 0;
  #errors = 0;
  #ended = 0;
  #lastFailure: CallReport["lastFailure"];
  readonly #latencies = new Float64Array(WINDOW);

  /** Counts a call, and returns when it began. */
  begin(): number {
    this.#calls++;
    return performance.now();
  }

  answered(startedAt: number): void {
    this.#latencies[this.#ended++ % WINDOW] = performance.now() - startedAt;
  }

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

/**
 * The same set, with its calls counted. Stray errors of own code are attributed to it as well; other handlers are the
 * gateway's.
 */
export function counting(set: SourceSet, counts: CallCounts, isOwnCode: boolean): SourceSet {
  const { source, registrations, ownership, routes } = set;
  const within: Within = isOwnCode ? (work) => asSource(source.name, work) : (work) => work();
  // Not all of the set: a source must not carry the mark of the gateway's own sets.
  return {
    source,
    registrations: registrations.map((registration) => ({
      ...registration,
      handler: countingHandler(registration.handler, counts, within),
    })),
    ...(ownership && { ownership }),
    ...(routes && { routes: routes.map((route) => runWithin(route, within)) }),
  };
}

/** Runs the code of a source. */
type Within = <Result>(work: () => Result) => Result;

function runWithin(route: Route, within: Within): Route {
  return { ...route, handler: (request, context) => within(() => route.handler(request, context)) };
}

function countingHandler(handler: Handler, counts: CallCounts, within: Within): Handler {
  /** Counts a call, its first answer and its failure. A stream is as slow as its first item. */
  function begin(signal: AbortSignal) {
    const startedAt = counts.begin();
    let isAnswered = false;
    const failed = (error: unknown): never => {
      counts.failed(startedAt, signal, error);
      throw error;
    };
    const answer = async <Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> => {
      const answered = await within(async () => work()).catch(failed);
      if (!isAnswered) counts.answered(startedAt);
      isAnswered = true;
      return answered;
    };
    return { answer, failed };
  }

  if (handler.kind === "once") {
    const run: OnceHandler["run"] = (input, context) =>
      begin(context.signal).answer(() => handler.run(input, context));
    return { kind: "once", run };
  }
  return {
    kind: "stream",
    run(input, context) {
      const { answer, failed } = begin(context.signal);
      let items: AsyncIterator<unknown>;
      try {
        items = within(() => iteratorOf(handler.run(input, context)));
      } catch (error) {
        return failed(error);
      }
      // Not a generator, which would keep `return` waiting for the next item.
      const iterator: AsyncIterableIterator<unknown> = {
        next: () => answer(() => items.next()),
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
