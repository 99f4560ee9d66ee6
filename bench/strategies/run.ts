import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSet } from "../search/read-set.ts";
import { buildCatalogues, type Catalogue } from "./catalogues.ts";
import { categories, knownCategories } from "./categories.ts";
import type { ChartOptions } from "./chart.ts";
import { direct } from "./direct.ts";
import { filtered } from "./filtered.ts";
import { cautiousGateway, gateway } from "./gateway.ts";
import { type Measured, measureStrategy } from "./measure.ts";
import type { Strategy } from "./strategy.ts";

/** The tasks and most of the tools; the pool fills up the large catalogue. */
export const LABELLED = "livemcp-steps";
/** Real tools without tasks. */
export const POOL = "pool-mcpzero";
/** Number of tools. */
export const SIZES = [100, 500, 2_500] as const;
/** Decides the order of the distractors. */
export const SEED = 20_260_101;

/** The ways to show tools, in the order of the report. */
export const STRATEGIES: readonly Strategy[] = [
  direct,
  filtered,
  categories,
  knownCategories,
  gateway,
  cautiousGateway,
];

/** Default directory of the catalogues. */
export const DEFAULT_DATA = join(import.meta.dirname, "../../../shared/data/retrieval");

/** Missing parts of the data that the bench needs. */
export function missingData(folder: string): readonly string[] {
  return [LABELLED, POOL].filter(
    (set) => !["tools.jsonl", "tools.jsonl.gz"].some((file) => existsSync(join(folder, set, file))),
  );
}

/** The catalogues of all sizes, smallest first. */
export function loadCatalogues(folder: string): readonly Catalogue[] {
  const options = { sizes: SIZES, seed: SEED };
  return buildCatalogues(readSet(join(folder, LABELLED)), readSet(join(folder, POOL)).tools, options);
}

/** Measures every strategy on every catalogue. */
export async function measureAll(folder: string): Promise<readonly Measured[]> {
  const all: Measured[] = [];
  for (const catalogue of loadCatalogues(folder)) {
    for (const strategy of STRATEGIES) all.push(await measureStrategy(strategy, catalogue));
  }
  return all;
}

/** Content of the chart: every strategy, ours without its unkind bound. */
export function chartOptions(measured: readonly Measured[]): ChartOptions {
  return {
    shown: STRATEGIES.filter((strategy) => strategy !== cautiousGateway).map(({ name }) => name),
    own: gateway.name,
    note: `${measured[0]?.tasks ?? 0} labelled tasks, o200k tokens. A script replaces the model; what a model would pick is not measured.`,
  };
}
