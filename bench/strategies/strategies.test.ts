import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabelledQuery, Tool } from "../search/read-set.ts";
import type { Catalogue } from "./catalogues.ts";
import { categories, knownCategories } from "./categories.ts";
import { toDefinition, tokensOf, tokensOfCall } from "./definitions.ts";
import { direct } from "./direct.ts";
import { filtered } from "./filtered.ts";
import { cautiousGateway, gateway } from "./gateway.ts";
import type { Outcome, Strategy } from "./strategy.ts";

const WHERE = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const DRAW = { type: "object", properties: { spec: { type: "object" } }, required: ["spec"] };

const SKY = { server: "sky", serverDescription: "Weather everywhere.", inputSchema: WHERE };

/** Eleven tools that know the weather alike, one that hardly does, and one of another server that draws. */
const TOOLS: readonly Tool[] = [
  ...Array.from({ length: 11 }, (_, index) => ({
    ...SKY,
    id: `sky/${index}`,
    name: `forecast_${index}`,
    description: `Tells the weather forecast of region ${index}.`,
  })),
  { ...SKY, id: "sky/moon", name: "moon", description: "The moon in bad weather." },
  {
    id: "pen/0",
    server: "pen",
    serverDescription: "Pictures.",
    name: "draw_chart",
    description: "Draws a chart.",
    inputSchema: DRAW,
  },
];
const CATALOGUE: Catalogue = { tools: TOOLS, tasks: [] };
const FORECAST: LabelledQuery = { id: "1", query: "weather forecast of region 3", relevant: ["sky/3"] };
const CHART: LabelledQuery = { id: "2", query: "draw a chart", relevant: ["pen/0"] };
const VAGUE: LabelledQuery = { id: "3", query: "weather forecast, some region", relevant: ["sky/moon"] };

async function work(strategy: Strategy, task: LabelledQuery): Promise<Outcome> {
  const shown = await strategy.show(CATALOGUE);
  try {
    return await shown.work(task);
  } finally {
    await shown.close();
  }
}

test("direct shows every definition and asks for nothing", async () => {
  const { menu, exchanges, roundTrips, seen, callFrame } = await work(direct, CHART);
  assert.equal(menu, tokensOf(TOOLS.map(toDefinition)));
  assert.deepEqual({ exchanges, roundTrips, seen }, { exchanges: [], roundTrips: 0, seen: true });
  assert.equal(callFrame, tokensOf('{"name":"pen__draw_chart","arguments":{}}'));
});

test("filtered shows at most ten definitions, those that match, in one round trip", async () => {
  const found = await work(filtered, CHART);
  assert.equal(found.menu, tokensOf([TOOLS[12]].map((tool) => tool && toDefinition(tool))));
  assert.deepEqual([found.roundTrips, found.seen, found.menuIsOfTask], [1, true, true]);
  const vague = await work(filtered, VAGUE);
  assert.deepEqual([vague.seen, vague.callFrame], [false, 0]);
  assert.equal(vague.menu, tokensOf(TOOLS.slice(0, 10).map(toDefinition)));
});

test("categories are opened by the line that matches, and the next one when the tool is not there", async () => {
  const { exchanges, seenFirst } = await work(categories, FORECAST);
  const read = tokensOf(TOOLS.slice(0, 12).map(toDefinition));
  assert.deepEqual(exchanges, [{ wrote: tokensOfCall("open_category", { category: "sky" }), read }]);
  assert.equal(seenFirst, true);

  const second = { id: "4", query: "weather and pictures everywhere", relevant: ["pen/0"] };
  const late = await work(categories, second);
  assert.deepEqual([late.roundTrips, late.seenFirst, late.seen], [2, false, true]);
});

test("a category whose line says nothing is found only by a script that knows its tools", async () => {
  assert.equal((await work(categories, CHART)).seen, false);
  assert.equal((await work(knownCategories, CHART)).seenFirst, true);
});

test("the gateway costs one search where the signature suffices, and a schema more where it does not", async () => {
  const plain = await work(gateway, FORECAST);
  assert.deepEqual([plain.roundTrips, plain.exchanges.length, plain.seenFirst], [1, 1, true]);
  assert.equal(plain.exchanges[0]?.wrote, tokensOfCall("search", { query: FORECAST.query }));
  const nested = await work(gateway, CHART);
  assert.deepEqual([nested.roundTrips, nested.seen], [2, true]);
  assert.equal(nested.exchanges[1]?.wrote, tokensOfCall("schema", { name: "pen/draw_chart" }));
  assert.equal((await work(cautiousGateway, FORECAST)).roundTrips, 2);
});

test("the gateway turns pages until the tool is seen, and its menu does not grow with the catalogue", async () => {
  const { roundTrips, seenFirst, seen, menu } = await work(gateway, VAGUE);
  assert.deepEqual([roundTrips, seenFirst, seen], [2, false, true]);
  const one = await gateway.show({
    ...CATALOGUE,
    tools: [TOOLS[0], TOOLS[12]].flatMap((tool) => tool ?? []),
  });
  assert.equal((await one.work(CHART)).menu, menu);
  await one.close();
});
