/** The clock and the timers of a connection: handed in, so that a test can own time. */
export interface Timers {
  /** Milliseconds that only ever grow. */
  now(): number;
  start(run: () => void, milliseconds: number): unknown;
  stop(timer: unknown): void;
}

/** Timers take at most 2^31-1 ms and fire at once above that. */
const LONGEST = 2_147_483_647;

/** The timers of the machine. They do not keep a program alive: an open connection does. */
export const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  start(run, milliseconds) {
    const timer: unknown = setTimeout(run, Math.min(milliseconds, LONGEST));
    // A browser's timer is a number and holds nothing.
    if (typeof timer === "object") (timer as { unref?(): void }).unref?.();
    return timer;
  },
  stop: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
