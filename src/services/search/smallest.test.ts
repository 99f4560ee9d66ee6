import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Smallest } from "./smallest.ts";

test("of any items the same come first as if all had been sorted", () => {
  const names = fc.uniqueArray(fc.string(), { maxLength: 200 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 20 }), (all, most) => {
      const smallest = new Smallest<string>(most, (name) => name);
      for (const name of all) if (smallest.wants(name)) smallest.add(name);
      assert.deepEqual(smallest.sorted(), all.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, most));
    }),
  );
});
