import { parseArgs } from "node:util";
import { measureSet, type SetFigures } from "./measure-set.ts";
import { METRICS, type Metrics, meanOf } from "./metrics.ts";
import { type LabelledQuery, type LabelledSet, readSet, SetError, type Tool } from "./read-set.ts";

// Quality and speed of search: npm run --silent bench:search -- --data DIR [--pool DIR] [--engine bm25] [--json]

const USAGE =
  "Usage: npm run --silent bench:search -- --data DIR [--data DIR…] [--pool DIR…] [--engine bm25] [--json]";

try {
  const values = readArguments();
  const { engine } = values;
  const { sets, mean } = await measureAll(values);
  if (values.json) console.log(JSON.stringify({ engine, sets, mean }, null, 2));
  else printTable(engine, sets, mean);
} catch (error) {
  if (!(error instanceof SetError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function readArguments() {
  const values = parsed();
  if (values.data.length === 0 || !["fused", "bm25"].includes(values.engine)) throw new SetError(USAGE);
  return values;
}

function parsed() {
  try {
    return parseArgs({
      options: {
        data: { type: "string", multiple: true, default: [] },
        pool: { type: "string", multiple: true, default: [] },
        engine: { type: "string", default: "fused" },
        json: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new SetError(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

async function measureAll({ data, pool, engine }: ReturnType<typeof readArguments>) {
  const pools = pool.map((folder) => ({ folder, ...readSet(folder) }));
  const sets: Record<string, SetFigures> = {};
  for (const folder of data) {
    const set = readSet(folder);
    const queries = answerable(set, folder);
    // Two folders may have the same name, and the mean is over both.
    const name = Object.hasOwn(sets, set.name) ? folder : set.name;
    sets[name] = await measureSet({ ...set, queries }, distractors(set, pools), { dense: engine !== "bm25" });
  }
  return { sets, mean: meanOf(Object.values(sets)) };
}

/** The questions that name an answer; of answers that are not there it is said that they cannot be found. */
function answerable({ tools, queries }: LabelledSet, folder: string): readonly LabelledQuery[] {
  const kept = queries.filter(({ relevant }) => relevant.length > 0);
  if (kept.length === 0)
    throw new SetError(
      `${folder} has no queries.jsonl with a question that names a tool; give it as --pool.`,
    );
  const left = queries.length - kept.length;
  if (left > 0) console.error(`${folder}: ${left} questions name no tool; they are left out.`);
  const ids = new Set(tools.map(({ id }) => id));
  const missing = kept.flatMap(({ relevant }) => relevant.filter((id) => !ids.has(id))).length;
  if (missing > 0)
    console.error(`${folder}: ${missing} answers are not tools of it; they count as not found.`);
  return kept;
}

/** The tools of the pools. A tool that a pool shares with the set, including its id, is not a distractor but the tool itself. */
function distractors(
  { tools }: LabelledSet,
  pools: readonly (LabelledSet & { readonly folder: string })[],
): readonly Tool[] {
  const keyOf = ({ id, server, name, description }: Tool) => JSON.stringify([id, server, name, description]);
  const own = new Set(tools.map(keyOf));
  return pools.flatMap(({ folder, tools: all }) =>
    all.filter((tool) => !own.has(keyOf(tool))).map((tool) => ({ ...tool, id: `${folder}#${tool.id}` })),
  );
}

function printTable(engine: string, sets: Readonly<Record<string, SetFigures>>, mean: Metrics): void {
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
  row(`engine ${engine}`, heads);
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
