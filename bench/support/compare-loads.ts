import type { ByColumn, Figure, Target } from "./bench.ts";
import { type Load, type LoadResult, runLoad } from "./http-load.ts";
import { median } from "./measure.ts";

const CONCURRENCY = [1, 16, 64] as const;
const ROUNDS = 5;
const ROUND_MS = 800;

/** Results of each load, by the number of concurrent requests. */
export type LoadResults<Name extends string> = Readonly<Record<Name, ByColumn<LoadResult>>>;

/** Runs loads against each other. They take turns within each round, so that noise hits all of them. */
export async function compareLoads<Name extends string>(
  loads: Readonly<Record<Name, Load>>,
): Promise<LoadResults<Name>> {
  const named = Object.entries<Load>(loads);
  for (const [, load] of named) await runLoad(load, 16, ROUND_MS);
  const results = Object.fromEntries(named.map(([name]) => [name, {} as Record<string, LoadResult>]));
  for (const connections of CONCURRENCY) {
    const seen = named.map((): LoadResult[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, [, load]] of named.entries()) {
        seen[index]?.push(await runLoad(load, connections, ROUND_MS));
      }
    }
    for (const [index, [name]] of named.entries()) {
      Object.assign(results[name] ?? {}, { [connections]: middleOf(seen[index] ?? []) });
    }
  }
  return results as LoadResults<Name>;
}

/** Results of one load, as rows. */
export function loadFigures(measure: string, results: ByColumn<LoadResult>): Figure[] {
  return [
    { measure, unit: "calls/s", values: pick(results, "perSecond") },
    { measure, unit: "ms p50", values: pick(results, "p50") },
    { measure, unit: "ms p99", values: pick(results, "p99") },
  ];
}

/** Ratio of the durations of two loads. */
export function loadRatio(
  measure: string,
  loads: { readonly own: ByColumn<LoadResult>; readonly other: ByColumn<LoadResult> },
  target?: Target,
): Figure {
  const measured = pick(loads.own, "p50");
  const baseline = pick(loads.other, "p50");
  const values = Object.fromEntries(
    CONCURRENCY.map((column) => [column, (measured[column] ?? 0) / (baseline[column] ?? 0)]),
  );
  return {
    measure,
    unit: "times p50",
    values,
    headline: true,
    compared: { unit: "ms p50", measured, baseline },
    ...(target && { target }),
  };
}

function pick(results: ByColumn<LoadResult>, key: keyof LoadResult): ByColumn<number> {
  return Object.fromEntries(CONCURRENCY.map((column) => [column, results[column]?.[key] ?? Number.NaN]));
}

function middleOf(rounds: readonly LoadResult[]): LoadResult {
  const of = (key: keyof LoadResult) => median(rounds.map((round) => round[key]));
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99") };
}
