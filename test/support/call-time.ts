import type { Timers } from "../../src/protocol/index.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Time that stands still until it is told to pass. */
export class SimulatedTime implements Timers {
  #now = 0;
  readonly #timers = new Set<Timer>();

  /** Timers that have neither fired nor been stopped. */
  get running(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  start(run: () => void, milliseconds: number): unknown {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.add(timer);
    return timer;
  }

  stop(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** Lets time pass; what is due on the way fires in its order. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let due = this.#nextUntil(end); due; due = this.#nextUntil(end)) {
      this.#now = Math.max(this.#now, due.at);
      this.#timers.delete(due);
      due.run();
    }
    this.#now = end;
  }

  #nextUntil(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (!next || timer.at < next.at)) next = timer;
    return next;
  }
}

/** Lets everything that is ready to run do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
