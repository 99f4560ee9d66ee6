/**
 * `npm run bench:strategies`: ways to show 100, 500 and 2,500 real tools to a model, by what they cost it and how often it
 * sees the right one. Prints tables (or JSON) and writes a chart.
 *
 *     node bench/strategies/main.ts [--data DIR] [--json] [--svg FILE]
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { toChart } from "./chart.ts";
import { NOT_MEASURED, type Report, toMarkdown } from "./report.ts";
import {
  chartOptions,
  DEFAULT_DATA,
  LABELLED,
  measureAll,
  missingData,
  POOL,
  SEED,
  STRATEGIES,
} from "./run.ts";

const USAGE = "Usage: npm run --silent bench:strategies -- [--data DIR] [--json] [--svg FILE]";

const values = readFlags();
const missing = values ? missingData(values.data) : [];
if (!values) process.exitCode = 2;
else if (missing.length > 0) {
  console.error(
    `Nothing was measured: there is no ${missing.join(" and no ")} in ${values.data}. They are made from the public data of ` +
      "LiveMCPBench (https://github.com/icip-cas/LiveMCPBench) and MCP-Zero (https://github.com/xfey/MCP-Zero), in the format of " +
      "bench/search/read-set.ts. Give the folder that has them as --data DIR.",
  );
  process.exitCode = 2;
} else await run(values);

function readFlags() {
  try {
    return parseArgs({
      options: {
        data: { type: "string", default: DEFAULT_DATA },
        json: { type: "boolean", default: false },
        svg: { type: "string", default: join(import.meta.dirname, "../../.cache/bench/strategies.svg") },
      },
    }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    return undefined;
  }
}

async function run({ data, json, svg }: NonNullable<typeof values>): Promise<void> {
  const report: Report = {
    tasks: LABELLED,
    pool: POOL,
    seed: SEED,
    strategies: STRATEGIES.map(({ name, policy }) => ({ name, policy })),
    measured: await measureAll(data),
  };
  const file = resolve(svg);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, toChart(report.measured, chartOptions(report.measured)));
  if (json) console.log(JSON.stringify({ ...report, notMeasured: NOT_MEASURED }, null, 2));
  else console.log(`${toMarkdown(report)}\n\nChart: ${file}`);
}
