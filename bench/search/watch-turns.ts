import { PerformanceObserver, performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";

/** Turns of the event loop shorter than this, in processor time, do not matter. */
const SHORT_MS = 3;

interface Turn {
  readonly stage: string;
  readonly start: number;
  readonly end: number;
  readonly cpuMs: number;
}

/** Watches how long the event loop is held up by each stage of some work. */
export interface TurnWatch {
  /** Does a stage of the work. */
  during<Value>(stage: string, work: () => Value | Promise<Value>): Promise<Value>;
  /** Ends the watch and says how long the longest turn of each stage took, in milliseconds of processor time. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

/**
 * Measures the processor time of this thread from turn to turn, so that other programs do not count. Pauses of
 * the collector are taken off: they depend on everything that is in memory, not on the stage. To tell them
 * apart it must do its work in pauses, hence the flag.
 */
export function watchTurns(): TurnWatch {
  setFlagsFromString("--no-incremental-marking");
  const turns: Turn[] = [];
  const pauses: { readonly start: number; readonly end: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      pauses.push({ start: startTime, end: startTime + duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  const stages: string[] = [];
  let stage = "";
  let isOn = true;
  let start = performance.now();
  let cpu = process.threadCpuUsage();

  const beat = () => {
    const end = performance.now();
    const now = process.threadCpuUsage();
    // Some systems count processor time by the tick, so a turn can seem to take longer than it lasted.
    const cpuMs = Math.min(end - start, (now.user + now.system - cpu.user - cpu.system) / 1000);
    if (cpuMs >= SHORT_MS) turns.push({ stage, start, end, cpuMs });
    start = end;
    cpu = now;
    if (isOn) setImmediate(beat);
  };
  beat();

  /** Duration of a turn without garbage collection. */
  const ownMs = ({ start: from, end: to, cpuMs }: Turn) => {
    const paused = pauses.reduce(
      (sum, pause) => sum + Math.max(0, Math.min(to, pause.end) - Math.max(from, pause.start)),
      0,
    );
    return cpuMs * Math.max(0, 1 - paused / (to - from));
  };

  return {
    async during(name, work) {
      // Two turns: what came before must not count, nor what is left over.
      await nextTurn();
      await nextTurn();
      stage = name;
      stages.push(name);
      const value = await work();
      await nextTurn();
      await nextTurn();
      stage = "";
      return value;
    },
    async stop() {
      await nextTurn();
      isOn = false;
      await nextTurn();
      observer.disconnect();
      setFlagsFromString("--incremental-marking");
      const longest = (name: string) =>
        turns.filter((turn) => turn.stage === name).reduce((most, turn) => Math.max(most, ownMs(turn)), 0);
      return Object.fromEntries(stages.map((name) => [name, longest(name)]));
    },
  };
}
