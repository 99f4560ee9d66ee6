import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ANONYMOUS, createSearchIndex, Registry } from "../../src/core.ts";
import { measureStretches, type Stretches } from "./measure-stretches.ts";
import { judge, type Metrics, meanOf } from "./metrics.ts";
import type { LabelledSet, Tool } from "./read-set.ts";
import { toSources } from "./to-sources.ts";

const CALLER = { identity: ANONYMOUS, internal: false };
const HITS = 10;
const MIB = 1024 * 1024;

/** Measurements of one set. */
export interface SetFigures extends Metrics {
  readonly queries: number;
  readonly tools: number;
  readonly buildMs: number;
  /** Growth of the process while the index was built. */
  readonly memoryMiB: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The longest time for which the event loop was held up, by what the index did meanwhile. */
  readonly stretchMs: Stretches;
}

/** Indexes the tools of a set among those of a pool, as the product does, and asks its questions. */
export async function measureSet(
  set: LabelledSet,
  pool: readonly Tool[],
  { dense }: { readonly dense: boolean },
): Promise<SetFigures> {
  const { sources, idOf } = toSources([...set.tools, ...pool]);
  const registry = new Registry();
  registry.apply({ replace: sources });
  const before = usedBytes();
  const started = performance.now();
  const index = createSearchIndex(registry, { dense });
  await index.ready();
  const buildMs = performance.now() - started;
  const memoryMiB = (usedBytes() - before) / MIB;

  // Once for the figures of quality, and to warm up; once more for those of time.
  const judged: Metrics[] = [];
  for (const { query, relevant } of set.queries) {
    const { entries } = await index.search(query, { caller: CALLER, most: HITS });
    const ids = entries.map(({ registration }) => idOf.get(registration.spec.name) ?? "");
    judged.push(judge(ids, relevant));
  }
  const times: number[] = [];
  for (const { query } of set.queries) {
    const start = performance.now();
    await index.search(query, { caller: CALLER, most: HITS });
    times.push(performance.now() - start);
  }
  index.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    ...meanOf(judged),
    queries: set.queries.length,
    tools: idOf.size,
    buildMs,
    memoryMiB,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    stretchMs: await measureStretches(sources, { dense }),
  };
}

function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
