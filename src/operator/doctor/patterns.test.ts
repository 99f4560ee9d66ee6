import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../../config/index.ts";
import { DEFAULT_POLICY, defineOperation, Registry } from "../../core/index.ts";
import { checkPatterns } from "./patterns.ts";

const operation = (name: string) =>
  defineOperation({ name, type: "query", description: "Looks.", handler: () => name });

test("a preset that cannot work is noted, and a deny that names a preset is not", () => {
  const registry = new Registry();
  registry.apply({
    replace: [{ source: { name: "west" }, registrations: [operation("west/look")] }],
    presets: [
      { name: "view/look", operation: "west/look" },
      { name: "view/off", operation: "west/look" },
      { name: "view/gone", operation: "west/gone" },
      { name: "view/later", operation: "east/look" },
    ],
    policy: { ...DEFAULT_POLICY, deny: ["view/off"] },
  });
  const sources = { west: { kind: "peer", external: "*" } };
  const config = { sources, deny: ["view/off"], facets: { views: { tools: {} } } } as unknown as Config;
  assert.deepEqual(
    checkPatterns(config, registry, new Set(["east"])).map(({ text }) => text),
    ["The tool view/gone is withheld: its operation west/gone is not there."],
  );
});

test("a member of a group needs no external of its own, and another source without it is noted", () => {
  const registry = new Registry();
  registry.apply({
    replace: [
      { source: { name: "west" }, registrations: [operation("west/look")] },
      { source: { name: "east" }, registrations: [operation("east/look")] },
      { source: { name: "all" }, registrations: [{ ...operation("all/look"), runsAs: ["west/look"] }] },
    ],
  });
  const sources = { west: { kind: "peer" }, east: { kind: "peer" }, all: { kind: "any", external: "*" } };
  const config = { sources, deny: [], facets: {} } as unknown as Config;
  const noted = checkPatterns(config, registry, new Set());
  assert.deepEqual(
    noted.map(({ about }) => about),
    ["east"],
  );
});
