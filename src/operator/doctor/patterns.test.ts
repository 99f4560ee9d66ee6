import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../../config/index.ts";
import { defineOperation, Registry } from "../../core/index.ts";
import { checkPatterns } from "./patterns.ts";

const operation = (name: string) =>
  defineOperation({ name, type: "query", description: "Looks.", handler: () => name });

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
