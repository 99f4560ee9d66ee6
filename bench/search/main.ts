import { parseArgs } from "node:util";
import { measureSet, type SetFigures } from "./measure-set.ts";
import { METRICS, meanOf } from "./metrics.ts";
import { readSet } from "./read-set.ts";

// How well and how fast search finds: npm run --silent bench:search -- --data DIR [--pool DIR] [--engine bm25] [--json]

const { values } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] },
    pool: { type: "string", multiple: true, default: [] },
    engine: { type: "string", default: "fused" },
    json: { type: "boolean", default: false },
  },
});

if (values.data.length === 0 || !["fused", "bm25"].includes(values.engine)) {
  console.error(
    "Usage: npm run --silent bench:search -- --data DIR [--data DIR…] [--pool DIR…] [--engine bm25] [--json]",
  );
  process.exitCode = 2;
} else await run();

async function run(): Promise<void> {
  const pool = values.pool.flatMap((folder) =>
    readSet(folder).tools.map((tool) => ({ ...tool, id: `${folder}#${tool.id}` })),
  );
  const sets: Record<string, SetFigures> = {};
  for (const folder of values.data) {
    const set = readSet(folder);
    if (set.queries.length === 0) throw new Error(`${folder} has no queries.jsonl; give it as --pool.`);
    sets[set.name] = await measureSet(set, pool, { dense: values.engine !== "bm25" });
  }
  const mean = meanOf(Object.values(sets));
  if (values.json) console.log(JSON.stringify({ engine: values.engine, sets, mean }, null, 2));
  else printTable(sets, mean);
}

function printTable(sets: Readonly<Record<string, SetFigures>>, mean: ReturnType<typeof meanOf>): void {
  const heads = [
    "nDCG@10",
    "R@1",
    "R@5",
    "R@10",
    "MRR",
    "Hit@1",
    "tools",
    "build s",
    "MiB",
    "p50 ms",
    "p99 ms",
  ];
  const row = (name: string, cells: readonly string[]) =>
    console.log(name.padEnd(16) + cells.map((cell) => cell.padStart(9)).join(""));
  row(`engine ${values.engine}`, heads);
  for (const [name, figures] of Object.entries(sets)) {
    row(name, [
      ...METRICS.map((metric) => figures[metric].toFixed(1)),
      String(figures.tools),
      (figures.buildMs / 1000).toFixed(2),
      figures.memoryMiB.toFixed(0),
      figures.p50Ms.toFixed(2),
      figures.p99Ms.toFixed(2),
    ]);
  }
  row(
    "mean",
    METRICS.map((metric) => mean[metric].toFixed(1)),
  );
  for (const [name, { stretchMs }] of Object.entries(sets)) {
    const stages = Object.entries(stretchMs).map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`);
    const longest = Math.max(...Object.values(stretchMs));
    console.log(
      `longest turn of the event loop, ${name}: ${longest.toFixed(1)} ms of processor time (${stages.join(", ")})`,
    );
  }
}
