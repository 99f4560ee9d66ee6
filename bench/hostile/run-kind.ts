import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Figure } from "../support/bench.ts";
import { median } from "../support/measure.ts";
import type { HostileCase, HostileKind } from "./kind.ts";
import { longestTurnOf } from "./longest-turn.ts";

/** What a turn may take: up to 1 MiB as it is, beyond that for each MiB. */
const MOST_MS = 50;
const MIB = 2 ** 20;
/** A case that seems to take more than this is looked at more closely. */
const SUSPICIOUS_MS = MOST_MS / 2;
const TRIES = 3;

/** Tries all cases of a kind; names the one with the longest turn. */
export async function runKind(kind: HostileKind): Promise<readonly Figure[]> {
  const turns: number[] = [];
  let refused = 0;
  let longest = { title: "", seed: 0, turnMs: 0 };
  for (let seed = 0; seed < kind.cases; seed++) {
    const hostile = await kind.generate(seed);
    const { turnMs, isRefused } = await measure(hostile);
    turns.push(turnMs);
    if (isRefused) refused++;
    if (turnMs > longest.turnMs) longest = { title: hostile.title, seed, turnMs };
  }
  console.log(
    `  ${kind.name}: the longest turn, ${longest.turnMs.toFixed(1)} ms, is case ${longest.seed}: ${longest.title}`,
  );
  return [
    { measure: kind.name, unit: "cases", values: { tried: kind.cases, refused } },
    {
      measure: `${kind.name}: turn, for each MiB beyond the first`,
      unit: "ms of processor time",
      values: { p50: median(turns), longest: longest.turnMs },
      headline: true,
      target: { atMost: MOST_MS, column: "longest" },
    },
  ];
}

/**
 * A long turn is tried again without the garbage of earlier cases, and the shortest counts: it is the one that the case
 * itself is to blame for.
 */
async function measure({ bytes, run }: HostileCase): Promise<{ turnMs: number; isRefused: boolean }> {
  const first = await longestTurnOf(run);
  const isRefused = first.value === "refused";
  let { longestMs } = first;
  for (let again = 1; again < TRIES && longestMs > SUSPICIOUS_MS; again++) {
    collectGarbage();
    longestMs = Math.min(longestMs, (await longestTurnOf(run)).longestMs);
  }
  return { turnMs: longestMs / Math.max(1, bytes / MIB), isRefused };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
