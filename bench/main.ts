import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { core } from "./core.ts";
import { http } from "./http.ts";
import { manyUpstreams } from "./many-upstreams.ts";
import { mcp } from "./mcp.ts";
import type { Bench, Figure } from "./support/bench.ts";
import { toSummary, toTable } from "./support/table.ts";
import { upstream } from "./upstream.ts";

const BENCHES: readonly Bench[] = [core, mcp, http, upstream, manyUpstreams];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } });
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
  const results = new Map<string, readonly Figure[]>();
  for (const { name, title, run } of chosen) {
    console.log(`${name}: ${title}\n`);
    const figures = await run();
    results.set(name, figures);
    console.log(`${toTable(figures)}\n`);
  }
  console.log(`Summary\n\n${toSummary(results)}`);
  if (values.json !== undefined) await writeFile(values.json, toJson(results));
}

function toJson(results: ReadonlyMap<string, readonly Figure[]>): string {
  const { version, arch, platform } = process;
  return `${JSON.stringify({ node: version, platform: `${platform} ${arch}`, benches: Object.fromEntries(results) }, null, 2)}\n`;
}
