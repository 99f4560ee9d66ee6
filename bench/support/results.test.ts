import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "./bench.ts";
import { toResults } from "./results.ts";
import { toSummary } from "./table.ts";

const RATIO: Figure = {
  measure: "ours against theirs",
  unit: "times p50",
  values: { 1: 0.5, 16: 1.5 },
  headline: true,
  compared: { unit: "ms p50", measured: { 1: 2, 16: 6 }, baseline: { 1: 4, 16: 4 } },
};

test("a ratio comes with the two numbers that it was made of, at its last column", () => {
  assert.deepEqual(toResults("b", [RATIO]), [
    {
      name: "b",
      what: "ours against theirs",
      unit: "ms p50",
      at: "16",
      measured: 6,
      baseline: 4,
      ratio: 1.5,
    },
  ]);
});

test("a target holds for the ratio, at the column that it names", () => {
  const [missed] = toResults("b", [{ ...RATIO, target: { atMost: 1.2 } }]);
  assert.deepEqual([missed?.target, missed?.ok], ["≤ 1.2", false]);
  const [reached] = toResults("b", [{ ...RATIO, target: { atLeast: 0.5, column: "1" } }]);
  assert.deepEqual([reached?.at, reached?.target, reached?.ok], ["1", "≥ 0.5", true]);
});

test("a cost that was compared with nothing is held against its own first column", () => {
  const cost: Figure = {
    measure: "cost",
    unit: "µs",
    values: { 1: 4, 100: 5 },
    flatness: 1.25,
    headline: true,
  };
  const [result] = toResults("b", [{ ...cost, target: { atMost: 1.25 } }]);
  assert.equal(result?.what, "cost, against 1");
  assert.deepEqual([result?.measured, result?.baseline, result?.ratio, result?.ok], [5, 4, 1.25, true]);
});

test("a value without a baseline has no ratio; a target is then about the value, and no number reaches none", () => {
  const seconds: Figure = { measure: "start", unit: "s", values: { all: 3 }, headline: true };
  assert.deepEqual(toResults("b", [seconds, { ...seconds, headline: false }]), [
    { name: "b", what: "start", unit: "s", at: "all", measured: 3 },
  ]);
  const ok = (value: number) =>
    toResults("b", [{ ...seconds, values: { all: value }, target: { atMost: 3 } }])[0]?.ok;
  assert.deepEqual([ok(3), ok(3.1), ok(Number.NaN)], [true, false, false]);
});

test("the summary is one table of all results that shouts what was missed", () => {
  const lines = toSummary(toResults("b", [{ ...RATIO, target: { atMost: 1.2 } }])).split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? "", /b +ours against theirs, ms p50 +16 +6\.00 +4\.00 +1\.50 +≤ 1\.2 +MISSED/);
});
