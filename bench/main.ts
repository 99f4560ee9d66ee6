/**
 * `npm run bench`: all benches, or those that are named, each with its table; one summary with ratios at the end, and all of
 * it as JSON. Exits with 1 if a target was missed or a bench failed.
 *
 *     npm run bench -- [NAME…] [--json FILE]
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { callProtocol } from "./call-protocol.ts";
import { core } from "./core.ts";
import { hostile } from "./hostile.ts";
import { http } from "./http.ts";
import { manyUpstreams } from "./many-upstreams.ts";
import { mcp } from "./mcp.ts";
import { neighbours } from "./neighbours.ts";
import { redaction } from "./redaction.ts";
import { search } from "./search/bench.ts";
import { strategies } from "./strategies/bench.ts";
import type { Bench, Figure } from "./support/bench.ts";
import { type Result, toResults } from "./support/results.ts";
import { toSummary, toTable } from "./support/table.ts";
import { upstream } from "./upstream.ts";

const BENCHES: readonly Bench[] = [
  core,
  redaction,
  mcp,
  http,
  upstream,
  manyUpstreams,
  neighbours,
  search,
  strategies,
  callProtocol,
  hostile,
];

// A reader such as `head` may have had enough: nothing has failed then.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const ALONE =
  "Not part of this: npm run bench:openapi, which imports 2,639 documents and fetches them first.";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string", default: join(import.meta.dirname, "../.cache/bench/results.json") },
  },
});
const unknown = positionals.find((name) => !BENCHES.some((bench) => bench.name === name));

if (unknown === undefined) await runBenches();
else {
  console.error(
    `There is no bench ${JSON.stringify(unknown)}. There are: ${BENCHES.map(({ name }) => name).join(", ")}`,
  );
  process.exitCode = 2;
}

async function runBenches(): Promise<void> {
  const chosen =
    positionals.length === 0 ? BENCHES : BENCHES.filter(({ name }) => positionals.includes(name));
  const results: Result[] = [];
  const benches: Record<string, readonly Figure[]> = {};
  for (const bench of chosen) {
    console.log(`${bench.name}: ${bench.title}\n`);
    const reason = bench.skip?.();
    if (reason !== undefined) console.log(`  Skipped: ${reason}.\n`);
    else {
      const figures = await runOne(bench);
      benches[bench.name] = figures;
      results.push(...toResults(bench.name, figures));
      if (figures.length > 0) console.log(`${toTable(figures)}\n`);
    }
  }
  const missed = results.filter(({ ok }) => ok === false).length;
  console.log(`Summary\n\n${toSummary(results)}\n`);
  console.log(missed === 0 ? "No target was missed." : `Targets missed: ${missed}.`);
  if (missed > 0) process.exitCode = 1;
  if (positionals.length === 0) console.log(ALONE);
  await writeJson(results, benches);
}

/** One bench that fails does not take the figures of the others with it. */
async function runOne(bench: Bench): Promise<readonly Figure[]> {
  try {
    return await bench.run();
  } catch (error) {
    console.error(`  ${bench.name} failed:`, error, "\n");
    process.exitCode = 1;
    return [];
  }
}

async function writeJson(
  results: readonly Result[],
  benches: Readonly<Record<string, readonly Figure[]>>,
): Promise<void> {
  const { version, arch, platform } = process;
  const file = resolve(values.json);
  await mkdir(dirname(file), { recursive: true });
  const content = { node: version, platform: `${platform} ${arch}`, results, benches };
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`Figures: ${file}`);
}
