import { isPromiseLike } from "./lifetime.ts";

/** The handlers that run for one call from outside: its own, and those of everything that it composes. */
export class RunningHandlers {
  #count = 0;
  #onEnded: (() => void) | undefined;

  /** Counts work until it has really ended, whether or not anyone still waits for it. */
  add(work: unknown): void {
    if (!isPromiseLike(work)) return;
    this.#count++;
    const ended = () => {
      if (--this.#count === 0) this.#onEnded?.();
    };
    work.then(ended, ended);
  }

  /** Calls back once, when no handler runs; answers whether that was at once. */
  whenEnded(callback: () => void): boolean {
    if (this.#count === 0) callback();
    else {
      this.#onEnded = () => {
        this.#onEnded = undefined;
        callback();
      };
    }
    return this.#onEnded === undefined;
  }
}
