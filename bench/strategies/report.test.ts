import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { toFigures } from "./bench.ts";
import { categories, knownCategories } from "./categories.ts";
import { toChart } from "./chart.ts";
import { direct } from "./direct.ts";
import { filtered } from "./filtered.ts";
import { type Measured, measureStrategy, summarise } from "./measure.ts";
import { NOT_MEASURED, toMarkdown } from "./report.ts";
import { chartOptions, DEFAULT_DATA, loadCatalogues, missingData, STRATEGIES } from "./run.ts";
import type { Outcome } from "./strategy.ts";

function outcomes(menu: number, seen: number): Outcome[] {
  return Array.from({ length: 10 }, (_, index) => ({
    menu,
    menuIsOfTask: false,
    exchanges: [{ wrote: 10, read: 90 }],
    roundTrips: 1,
    seenFirst: index < seen - 1,
    seen: index < seen,
    callFrame: 5,
  }));
}

const MEASURED: readonly Measured[] = [100, 2_500].flatMap((tools) =>
  STRATEGIES.map(({ name }, index) => summarise(name, tools, outcomes(tools * 10 * (index + 1), 10 - index))),
);

test("the means of the tasks are taken, in tokens and in percent", () => {
  const { conversation, ...rest } = summarise("x", 100, outcomes(200, 7));
  assert.deepEqual(rest, {
    strategy: "x",
    tools: 100,
    tasks: 10,
    menuTokens: 200,
    discoveryTokens: 100,
    roundTrips: 1,
    seenFirst: 60,
    seen: 70,
  });
  assert.equal(conversation.turns, 27);
});

test("the report has a row for each strategy and size, every policy, and what was not measured", () => {
  const text = toMarkdown({
    tasks: "set",
    pool: "pool",
    seed: 1,
    strategies: STRATEGIES,
    measured: MEASURED,
  });
  assert.equal(text.match(/^\| +2,500 \| gateway +\|/gm)?.length, 2);
  assert.match(text, /^\| +100 \| all directly +\| +1,000 \| +100 \| +1\.00 \| +90\.0 % \| +100\.0 % \|$/m);
  for (const { policy } of STRATEGIES) assert.ok(text.includes(policy));
  for (const line of NOT_MEASURED) assert.ok(text.includes(line));
});

test("the chart is one well-formed drawing with a bar of tokens and one of tools seen for each row", () => {
  const svg = toChart(MEASURED, { ...chartOptions(MEASURED), note: "a < b & c" });
  assert.equal(svg.match(/class="own"/g)?.length, 4);
  assert.equal(svg.match(/class="rest"/g)?.length, 10);
  assert.ok(svg.includes("a &lt; b &amp; c") && !svg.includes("NaN"));
  assert.equal(svg.match(/<(rect|line)\b[^<>]*\/>/g)?.length, svg.match(/<(rect|line)\b/g)?.length);
});

test("the bench holds the gateway against each of the others, at the largest catalogue", () => {
  const figure = toFigures(MEASURED).find(({ measure }) => measure === "tokens a task, against all directly");
  assert.deepEqual(figure?.compared?.measured, { 100: 5_100, "2,500": 125_100 });
  assert.deepEqual(figure?.compared?.baseline, { 100: 1_100, "2,500": 25_100 });
  assert.equal(figure?.values["2,500"], 125_100 / 25_100);
});

test("the documented figures that depend on no ranking of ours are those of the data", async (t) => {
  if (missingData(DEFAULT_DATA).length > 0) return t.skip("the catalogues are not here");
  const documented = readFileSync(join(import.meta.dirname, "../../docs/strategies.md"), "utf8");
  const measured: Measured[] = [];
  const [smallest] = loadCatalogues(DEFAULT_DATA);
  assert.ok(smallest);
  for (const strategy of [direct, filtered, categories, knownCategories]) {
    measured.push(await measureStrategy(strategy, smallest));
  }
  const text = toMarkdown({ tasks: "", pool: "", seed: 1, strategies: [], measured });
  const rows = text.split("\n").filter((line) => /^\| +100 /.test(line));
  assert.equal(rows.length, 8);
  for (const row of rows) assert.ok(documented.includes(row.replaceAll(/ +/g, " ")), row);
});

test("data that is not there is named", () => {
  assert.deepEqual(missingData("/nowhere"), ["livemcp-steps", "pool-mcpzero"]);
});

test("without its data the command fails, and says where the data comes from", () => {
  const main = join(import.meta.dirname, "main.ts");
  const { status, stderr } = spawnSync(process.execPath, [main, "--data", "/nowhere"], { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /^Nothing was measured: .*github\.com\/icip-cas\/LiveMCPBench.*--data DIR\.$/m);
});
