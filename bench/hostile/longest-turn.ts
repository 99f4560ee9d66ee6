import { setImmediate as nextTurn } from "node:timers/promises";

/** What some work gave, and how long it held the event loop at a time. */
export interface Turns<Value> {
  readonly value: Value;
  /** Milliseconds of processor time of this thread, so that other programs do not count. Garbage collection does. */
  readonly longestMs: number;
}

/** Does some work and measures its longest turn of the event loop. */
export async function longestTurnOf<Value>(work: () => Value | Promise<Value>): Promise<Turns<Value>> {
  // What was started before must not count.
  await nextTurn();
  let longestMs = 0;
  let isOn = true;
  let at = performance.now();
  let cpu = process.threadCpuUsage();
  const beat = () => {
    const now = performance.now();
    const used = process.threadCpuUsage(cpu);
    // Some systems count processor time by the tick, so a turn can seem to take longer than it lasted.
    longestMs = Math.max(longestMs, Math.min(now - at, (used.user + used.system) / 1000));
    at = performance.now();
    cpu = process.threadCpuUsage();
    if (isOn) setImmediate(beat);
  };
  setImmediate(beat);
  const value = await work();
  isOn = false;
  await nextTurn();
  return { value, longestMs };
}
