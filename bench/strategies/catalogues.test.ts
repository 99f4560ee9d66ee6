import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabelledSet, Tool } from "../search/read-set.ts";
import { buildCatalogues } from "./catalogues.ts";

function tool(server: string, name: string): Tool {
  return { id: `${server}/${name}`, server, name, description: `Does ${name}.` };
}

const many = (server: string, count: number) =>
  Array.from({ length: count }, (_, index) => tool(server, `t${index}`));

const SET: LabelledSet = {
  name: "set",
  tools: [...many("a", 5), ...many("b", 5), ...many("c", 5)],
  queries: [
    { id: "1", query: "one", relevant: ["a/t1"] },
    { id: "2", query: "two", relevant: ["c/t4", "b/t0"] },
    { id: "3", query: "three", relevant: ["gone/t9"] },
    { id: "4", query: "four", relevant: ["a/t0", "a/t2", "a/t3"] },
  ],
};
const POOL = [...many("p", 6), ...many("q", 6)];
const idsOf = ({ tools }: { readonly tools: readonly Tool[] }) => tools.map(({ id }) => id);

test("every catalogue has its size, holds the one before and the right tools of all its tasks", () => {
  const catalogues = buildCatalogues(SET, POOL, { sizes: [5, 12, 20], seed: 7 });
  assert.deepEqual(
    catalogues.map(({ tools }) => tools.length),
    [5, 12, 20],
  );
  const [small, middle, large] = catalogues.map(idsOf);
  assert.deepEqual(middle?.slice(0, 5), small);
  assert.deepEqual(large?.slice(0, 12), middle);
  for (const { tasks, tools } of catalogues) {
    const ids = new Set(tools.map(({ id }) => id));
    assert.equal(tools.length, ids.size);
    for (const { relevant } of tasks) assert.ok(relevant.every((id) => ids.has(id)));
  }
});

test("a task is left out whose tool is unknown, or whose tools the smallest catalogue has no room for", () => {
  for (const { tasks } of buildCatalogues(SET, POOL, { sizes: [5, 12], seed: 7 })) {
    assert.deepEqual(
      tasks.map(({ id }) => id),
      ["1", "2"],
    );
  }
});

test("the same seed gives the same catalogue, another seed another; servers stay together", () => {
  const order = (seed: number) =>
    buildCatalogues(SET, POOL, { sizes: [27], seed })
      .flatMap(idsOf)
      .slice(15)
      .join();
  assert.equal(order(7), order(7));
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8].map(order);
  assert.deepEqual(
    [...new Set(seeds)].sort(),
    [
      ["p", "q"],
      ["q", "p"],
    ].map((servers) =>
      servers
        .flatMap((name) => many(name, 6))
        .map(({ id }) => id)
        .join(),
    ),
  );
});

test("too few tools for the largest catalogue is an error that says so", () => {
  assert.throws(() => buildCatalogues(SET, [], { sizes: [5, 16], seed: 7 }), /15 tools, too few for 16/);
});
