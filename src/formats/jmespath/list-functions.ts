import type { UnknownRecord } from "../../core/index.ts";
import type { Budget } from "../budget.ts";
import type { Evaluate } from "./evaluators.ts";
import type { FunctionOf } from "./signature.ts";
import { compare, setProperty } from "./values.ts";

type Scalars = readonly (number | string)[];

const NUMBERS_OR_STRINGS = ["numbers", "strings"] as const;

/** Functions that combine the items of a list or the properties of objects. */
export const LIST_FUNCTIONS = {
  avg: {
    takes: [["numbers"]],
    run: ([list], budget) => (list.length === 0 ? null : sumOf(list, budget) / list.length),
  } satisfies FunctionOf<[readonly number[]]>,
  join: {
    takes: [["string"], ["strings"]],
    run([between, texts], budget) {
      for (const text of texts) budget.spend(3 + (text.length + between.length) / 4);
      return texts.join(between);
    },
  } satisfies FunctionOf<[string, readonly string[]]>,
  keys: {
    takes: [["object"]],
    run: ([record], budget) => budget.keysOf(record),
  } satisfies FunctionOf<[UnknownRecord]>,
  map: {
    takes: [["expression"], ["array"]],
    run: ([each, list], budget) => mapped(list, each, budget),
  } satisfies FunctionOf<[Evaluate, readonly unknown[]]>,
  max: {
    takes: [NUMBERS_OR_STRINGS],
    run: ([list], budget) => list[extreme(list, 1, budget)] ?? null,
  } satisfies FunctionOf<[Scalars]>,
  max_by: {
    takes: [["array"], ["expression"]],
    run: ([list, by], budget) => list[extreme(scalarKeys("max_by", [list, by], budget), 1, budget)] ?? null,
  } satisfies FunctionOf<[readonly unknown[], Evaluate]>,
  merge: {
    takes: [["object"]],
    repeated: true,
    run(records, budget) {
      const merged: Record<string, unknown> = {};
      for (const record of records) {
        for (const key of budget.keysOf(record)) {
          budget.spend(20);
          setProperty(merged, key, record[key]);
        }
      }
      return merged;
    },
  } satisfies FunctionOf<UnknownRecord[]>,
  min: {
    takes: [NUMBERS_OR_STRINGS],
    run: ([list], budget) => list[extreme(list, -1, budget)] ?? null,
  } satisfies FunctionOf<[Scalars]>,
  min_by: {
    takes: [["array"], ["expression"]],
    run: ([list, by], budget) => list[extreme(scalarKeys("min_by", [list, by], budget), -1, budget)] ?? null,
  } satisfies FunctionOf<[readonly unknown[], Evaluate]>,
  sort: {
    takes: [NUMBERS_OR_STRINGS],
    run: ([list], budget) => inOrder(list, budget).map((index) => list[index]),
  } satisfies FunctionOf<[Scalars]>,
  sort_by: {
    takes: [["array"], ["expression"]],
    run: ([list, by], budget) =>
      inOrder(scalarKeys("sort_by", [list, by], budget), budget).map((index) => list[index]),
  } satisfies FunctionOf<[readonly unknown[], Evaluate]>,
  sum: {
    takes: [["numbers"]],
    run: ([list], budget) => sumOf(list, budget),
  } satisfies FunctionOf<[readonly number[]]>,
  values: {
    takes: [["object"]],
    run: ([record], budget) => budget.keysOf(record).map((key) => record[key]),
  } satisfies FunctionOf<[UnknownRecord]>,
};

function sumOf(list: readonly number[], budget: Budget): number {
  budget.spend(list.length);
  let sum = 0;
  for (const number of list) sum += number;
  return sum;
}

function mapped(list: readonly unknown[], each: Evaluate, budget: Budget): unknown[] {
  return list.map((item) => {
    budget.spend(4);
    return each(item, budget) ?? null;
  });
}

/** The sort keys of a list: all numbers or all strings. */
function scalarKeys(
  name: string,
  [list, by]: readonly [readonly unknown[], Evaluate],
  budget: Budget,
): Scalars {
  const keys = mapped(list, by, budget);
  if (keys.every((key) => typeof key === "number") || keys.every((key) => typeof key === "string"))
    return keys;
  throw new Error(`${name}() needs keys that are all texts or all numbers`);
}

/** The places of a list's items in rising order; equal ones stay as they were. */
function inOrder(keys: Scalars, budget: Budget): number[] {
  budget.spend(20 + 10 * keys.length);
  const order = (one: number, other: number) => compare(keys[one] ?? 0, keys[other] ?? 0, budget);
  return Array.from(keys, (_, index) => index).sort(order);
}

/** The index of the first maximum or minimum. */
function extreme(keys: Scalars, direction: 1 | -1, budget: Budget): number {
  let best = 0;
  for (let index = 1; index < keys.length; index++) {
    const order = compare(keys[index] ?? 0, keys[best] ?? 0, budget);
    if (order * direction > 0) best = index;
  }
  return best;
}
