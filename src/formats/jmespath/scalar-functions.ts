import { isRecord, type UnknownRecord } from "../../core/index.ts";
import type { Budget } from "../budget.ts";
import { isEqual } from "../equal.ts";
import type { FunctionOf } from "./signature.ts";
import { toJson, typeOf } from "./values.ts";

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Functions of single values: numbers, texts, types. */
export const SCALAR_FUNCTIONS = {
  abs: { takes: [["number"]], run: ([number]) => Math.abs(number) } satisfies FunctionOf<[number]>,
  ceil: { takes: [["number"]], run: ([number]) => Math.ceil(number) } satisfies FunctionOf<[number]>,
  contains: {
    takes: [["array", "string"], ["any"]],
    run([where, what], budget) {
      if (typeof where !== "string") return where.some((item) => isEqual(item, what, budget));
      return typeof what === "string" && occursIn(where, what, budget);
    },
  } satisfies FunctionOf<[string | readonly unknown[], unknown]>,
  ends_with: {
    takes: [["string"], ["string"]],
    run([text, end], budget) {
      budget.spend(end.length / 8);
      return text.endsWith(end);
    },
  } satisfies FunctionOf<[string, string]>,
  floor: { takes: [["number"]], run: ([number]) => Math.floor(number) } satisfies FunctionOf<[number]>,
  length: {
    takes: [["string", "array", "object"]],
    run([value], budget) {
      if (typeof value === "string") return charactersOf(value, budget).length;
      return isRecord(value) ? budget.keysOf(value).length : value.length;
    },
  } satisfies FunctionOf<[string | readonly unknown[] | UnknownRecord]>,
  not_null: {
    takes: [["any"]],
    repeated: true,
    run: (values) => values.find((value) => value !== null) ?? null,
  } satisfies FunctionOf<unknown[]>,
  reverse: {
    takes: [["string", "array"]],
    run([value], budget) {
      if (typeof value === "string") return charactersOf(value, budget).reverse().join("");
      budget.spend(value.length);
      return value.toReversed();
    },
  } satisfies FunctionOf<[string | readonly unknown[]]>,
  starts_with: {
    takes: [["string"], ["string"]],
    run([text, start], budget) {
      budget.spend(start.length / 8);
      return text.startsWith(start);
    },
  } satisfies FunctionOf<[string, string]>,
  to_array: {
    takes: [["any"]],
    run: ([value]) => (Array.isArray(value) ? value : [value]),
  } satisfies FunctionOf<[unknown]>,
  to_number: {
    takes: [["any"]],
    run([value], budget) {
      if (typeof value !== "string") return typeof value === "number" ? value : null;
      budget.spend(value.length);
      const number = JSON_NUMBER.test(value) ? Number(value) : Number.NaN;
      return Number.isFinite(number) ? number : null;
    },
  } satisfies FunctionOf<[unknown]>,
  to_string: {
    takes: [["any"]],
    run: ([value], budget) => (typeof value === "string" ? value : toJson(value, budget)),
  } satisfies FunctionOf<[unknown]>,
  type: { takes: [["any"]], run: ([value]) => typeOf(value) } satisfies FunctionOf<[unknown]>,
};

/** A character outside the basic plane takes two units of a text. */
function charactersOf(text: string, budget: Budget): string[] {
  budget.spend(2 * text.length);
  return Array.from(text);
}

/**
 * Tests whether a string contains another in linear time (Knuth, Morris and Pratt): the time of `includes` is the
 * product of both for hostile strings.
 */
function occursIn(text: string, wanted: string, budget: Budget): boolean {
  budget.spend(text.length + wanted.length);
  if (wanted.length > text.length) return false;
  // Length of the prefix of `wanted` that still matches after a mismatch.
  const kept = new Uint32Array(wanted.length + 1);
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = kept[matched] ?? 0;
    if (wanted[at] === wanted[matched]) matched++;
    kept[at + 1] = matched;
  }
  let matched = 0;
  for (let at = 0; at < text.length && matched < wanted.length; at++) {
    while (matched > 0 && text[at] !== wanted[matched]) matched = kept[matched] ?? 0;
    if (text[at] === wanted[matched]) matched++;
  }
  return matched === wanted.length;
}
