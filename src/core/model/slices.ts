/** The longest delay of a timer; above it, timers fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** Time that work may take before others get a turn; its last step may run over. */
export const SLICE_MS = 6;

/** Work in small steps. */
export type Steps<Value = void> = Generator<void, Value>;

/** Does all the work now. */
export function atOnce<Value>(steps: Steps<Value>): Value {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Clock and event loop; a test brings its own. */
export interface Turns {
  readonly now: () => number;
  /** Calls back in a later turn of the event loop. */
  readonly later: (callback: () => void) => void;
}

const TURNS: Turns = {
  now: () => performance.now(),
  later: (callback) => void setImmediate(callback),
};

/**
 * Cuts work into slices, so that other requests do not wait for it. All that goes through one of these shares the time of
 * a turn of the event loop; what has to wait goes on in the order in which it came.
 */
export class Slices {
  readonly #turns: Turns;
  readonly #waiting: (() => void)[] = [];
  /** When the time of this turn is over; undefined where nothing was done in it yet. */
  #end: number | undefined;

  constructor(turns: Turns = TURNS) {
    this.#turns = turns;
  }

  /**
   * Undefined while there is time left in this turn, so much at least, otherwise what to wait for. Asked after
   * each step of work, and before work that cannot be cut.
   */
  pause(needMs = 0): Promise<void> | undefined {
    const now = this.#turns.now();
    if (this.#end === undefined) this.#start(now);
    else if (now + needMs >= this.#end) return new Promise((resolve) => this.#waiting.push(resolve));
    return undefined;
  }

  /** Does all steps, in as many turns as it takes. Rejects when the signal aborts. */
  async run<Value>(steps: Steps<Value>, signal?: AbortSignal): Promise<Value> {
    for (;;) {
      signal?.throwIfAborted();
      const step = steps.next();
      if (step.done) return step.value;
      const wait = this.pause();
      if (wait) await wait;
    }
  }

  #start(now: number): void {
    this.#end = now + SLICE_MS;
    this.#turns.later(() => {
      this.#end = undefined;
      const next = this.#waiting.shift();
      if (!next) return;
      this.#start(this.#turns.now());
      next();
    });
  }
}

/** Slices for documents that are read: they have no index whose time they could share. */
const TOGETHER = new Slices();

/** Does work in slices of a few milliseconds, so that other requests do not wait for it. Rejects when the signal aborts. */
export function inSlices<Value>(steps: Steps<Value>, signal?: AbortSignal): Promise<Value> {
  return TOGETHER.run(steps, signal);
}
