import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Bench, ByColumn, Figure } from "../support/bench.ts";
import { measureSet, type SetFigures } from "./measure-set.ts";
import { readSet } from "./read-set.ts";

const DATA = join(import.meta.dirname, "../../../shared/data/retrieval");
const SETS = ["livemcp", "livemcp-steps", "livemcp-agent", "metatool", "sealtools"] as const;
const MEAN = "mean";

/** The quality of search on the public labelled sets, against search by words alone. */
export const search: Bench = {
  name: "search",
  title: "finding the right operation, by labelled set (npm run bench:search has the whole of it)",
  skip() {
    const missing = SETS.filter((set) => !existsSync(join(DATA, set)));
    return missing.length > 0 ? `there is no ${missing.join(", ")} in ${DATA}` : undefined;
  },
  async run() {
    const fused = await measureAll(true);
    const words = await measureAll(false);
    return [
      ...compare("nDCG@10", "ndcg10", [fused, words]),
      ...compare("Recall@5", "recall5", [fused, words]),
      { measure: "a query", unit: "ms p50", values: pick(fused, "p50Ms") },
    ];
  },
};

async function measureAll(dense: boolean): Promise<ByColumn<SetFigures>> {
  const all: Record<string, SetFigures> = {};
  for (const set of SETS) all[set] = await measureSet(readSet(join(DATA, set)), [], { dense });
  return all;
}

function compare(
  measure: string,
  metric: "ndcg10" | "recall5",
  [fused, words]: readonly [ByColumn<SetFigures>, ByColumn<SetFigures>],
): Figure[] {
  const measured = withMean(pick(fused, metric));
  const baseline = withMean(pick(words, metric));
  const ratios = Object.entries(measured).map(([set, value]) => [set, value / (baseline[set] ?? Number.NaN)]);
  return [
    { measure, unit: "%", values: measured },
    { measure: `${measure}, words alone`, unit: "%", values: baseline },
    {
      measure: `${measure} against words alone`,
      unit: "times",
      values: Object.fromEntries(ratios),
      headline: true,
      compared: { unit: "%", measured, baseline },
      target: { atLeast: 1 },
    },
  ];
}

function pick(all: ByColumn<SetFigures>, key: "ndcg10" | "recall5" | "p50Ms"): ByColumn<number> {
  return Object.fromEntries(Object.entries(all).map(([set, figures]) => [set, figures[key]]));
}

function withMean(values: ByColumn<number>): ByColumn<number> {
  const numbers = Object.values(values);
  return { ...values, [MEAN]: numbers.reduce((sum, value) => sum + value, 0) / numbers.length };
}
