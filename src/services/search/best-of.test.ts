import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bestOf, Smallest } from "./best-of.ts";
import { Scores } from "./lexical/index.ts";

const HIGHEST = 10;
/** Backwards, so that names and numbers are told apart. */
const nameOf = (document: number) => String(1_000 - document);

function scoresOf(numbers: readonly number[]): Scores {
  const scores = new Scores();
  scores.start(new Uint8Array(numbers.length).fill(1), numbers.length);
  numbers.forEach((number, document) => {
    if (number === 0) return;
    scores.numbers[document] = number;
    scores.touched[scores.count++] = document;
  });
  return scores;
}

test("the best of any scores are found, as many as wanted, and all that pass are counted", () => {
  const score = fc.integer({ min: 0, max: 1_000 }).map((points) => (points * HIGHEST) / 1_000);
  fc.assert(
    fc.property(
      fc.array(score, { maxLength: 300 }),
      fc.integer({ min: 1, max: 40 }),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      (numbers, most, every) => {
        const passes = every === undefined ? undefined : (document: number) => document % every === 0;
        const { best, total } = bestOf(scoresOf(numbers), { most, highest: HIGHEST, passes, nameOf });
        const counted = numbers.filter((number, document) => number > 0 && (!passes || passes(document)));
        assert.equal(total, counted.length);
        const order = (a: number, b: number) =>
          (numbers[b] ?? 0) - (numbers[a] ?? 0) || (nameOf(a) < nameOf(b) ? -1 : 1);
        const all = [...numbers.keys()].filter(
          (document) => numbers[document] && passes?.(document) !== false,
        );
        assert.deepEqual(best.toSorted(order), all.sort(order).slice(0, most));
      },
    ),
  );
});

test("a document that does not pass loses its score, so that nothing else takes it up", () => {
  const scores = scoresOf([3, 4, 5]);
  bestOf(scores, { most: 2, highest: HIGHEST, passes: (document) => document !== 1, nameOf });
  assert.deepEqual([...scores.numbers.subarray(0, 3)], [3, 0, 5]);
});

test("no scores give no result", () => {
  assert.deepEqual(bestOf(scoresOf([]), { most: 5, highest: 0, passes: undefined, nameOf }), {
    best: [],
    total: 0,
  });
});

test("the smallest of any items are the same as after sorting all", () => {
  const names = fc.uniqueArray(fc.string(), { maxLength: 200 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 20 }), (all, most) => {
      const smallest = new Smallest<string>(most, (name) => name);
      for (const name of all) if (smallest.wants(name)) smallest.add(name);
      assert.deepEqual(smallest.sorted(), all.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, most));
    }),
  );
});
