import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import type { ByColumn } from "./bench.ts";

/** Does the measured thing that many times in a row. */
export type Subject = (times: number) => void | Promise<void>;

/** Microseconds per call. */
export interface Timing {
  readonly p50: number;
  readonly mean: number;
}

/** Number of measurements. */
export interface MeasureOptions {
  /** Calls in one batch; the clock is read around batches, because one call is too short for it. */
  readonly calls: number;
  /** Batches of each subject; p50 and mean are over these. */
  readonly rounds: number;
  /** Calls of each subject before anything counts. */
  readonly warmUp: number;
}

/** A subject that waits for each call before it makes the next; calls are numbered on across batches. */
export function awaiting(call: (number: number) => unknown): Subject {
  let number = 0;
  return async (times) => {
    for (const end = number + times; number < end; number++) await call(number);
  };
}

/** A subject whose calls answer at once; calls are numbered on across batches. */
export function immediate(call: (number: number) => unknown): Subject {
  let number = 0;
  return (times) => {
    for (const end = number + times; number < end; number++) call(number);
  };
}

/**
 * Times the same subjects in several columns, all in one run: batch by batch in turn and every second
 * round backwards, so that whatever else the machine does hits all of them alike.
 */
export async function sideBySide<Name extends string>(
  columns: ByColumn<Readonly<Record<Name, Subject>>>,
  { calls, rounds, warmUp }: MeasureOptions,
): Promise<Readonly<Record<Name, ByColumn<Timing>>>> {
  const runs = Object.entries(columns).flatMap(([column, subjects]) =>
    Object.entries<Subject>(subjects).map(([name, subject]) => ({
      column,
      name,
      subject,
      costs: [] as number[],
    })),
  );
  for (const { subject } of runs) await subject(warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const { subject, costs } of round % 2 === 0 ? runs : runs.toReversed()) {
      await turnOfEventLoop();
      const start = performance.now();
      await subject(calls);
      costs.push(((performance.now() - start) * 1000) / calls);
    }
  }
  const timings: Record<string, Record<string, Timing>> = {};
  for (const { column, name, costs } of runs) {
    timings[name] = { ...timings[name], [column]: { p50: median(costs), mean: mean(costs) } };
  }
  return timings as Record<Name, ByColumn<Timing>>;
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
