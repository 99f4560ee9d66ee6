import { AsyncLocalStorage } from "node:async_hooks";
import { type Log, stackOf } from "../core/index.ts";

/** A plugin that throws in a fast timer must not fill the log; beyond this many per second, errors are only counted. */
const LOGGED_PER_SECOND = 10;
/** Source of an error that cannot be attributed. */
const UNKNOWN_SOURCE = "";

/** The name of the source whose code runs: it follows timers, promises and events that this code leaves behind. */
const running = new AsyncLocalStorage<string>();

/** Runs code of a source, so that an error it leaves behind is known as that source's. */
export function asSource<Result>(source: string, work: () => Result): Result {
  return running.run(source, work);
}

/** Errors that belong to no call: a forgotten await, a throw in a timer, an `error` event without a listener. */
export class StrayErrors {
  readonly #log: Log;
  readonly #counts = new Map<string, number>();
  #second = 0;
  #logged = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Counts by source; the empty name is for errors that cannot be attributed. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Keeps the process alive through such errors, until the returned function is called. */
  survive(): () => void {
    const onRejection = (error: unknown) => this.#note("A rejection that nothing handles", error);
    const onException = (error: unknown) => this.#note("An exception that nothing catches", error);
    process.on("unhandledRejection", onRejection);
    process.on("uncaughtException", onException);
    return () => {
      process.off("unhandledRejection", onRejection);
      process.off("uncaughtException", onException);
    };
  }

  #note(kind: string, error: unknown): void {
    const source = running.getStore() ?? UNKNOWN_SOURCE;
    this.#counts.set(source, (this.#counts.get(source) ?? 0) + 1);
    if (!this.#mayLog()) return;
    this.#log.error(`${kind}; the gateway goes on`, {
      ...(source !== UNKNOWN_SOURCE && { source }),
      error: stackOf(error),
    });
  }

  #mayLog(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) this.#logged = 0;
    this.#second = second;
    return ++this.#logged <= LOGGED_PER_SECOND;
  }
}
