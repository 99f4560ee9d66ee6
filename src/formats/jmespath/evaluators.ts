import { isRecord } from "../../core/index.ts";
import type { Budget } from "../budget.ts";
import { isEqual } from "../equal.ts";
import { compare, isFalse, propertyOf, setProperty } from "./values.ts";

/** A compiled expression: maps a value to its result. */
export type Evaluate = (value: unknown, budget: Budget) => unknown;

/** The value itself: `@`. */
export const current: Evaluate = (value) => value;

/** A name. */
export function field(name: string): Evaluate {
  return (value, budget) => {
    budget.spend(3);
    return isRecord(value) ? propertyOf(value, name) : null;
  };
}

/** A value that is written in the expression. */
export function literal(value: unknown): Evaluate {
  return (_, budget) => {
    budget.spend(1);
    return value;
  };
}

/** `left | right` and `left.right`: the parser decides where a projection ends. */
export function inTurn(left: Evaluate, right: Evaluate): Evaluate {
  return (value, budget) => {
    budget.spend(1);
    return right(left(value, budget), budget);
  };
}

/** `[1]`; a negative index counts from the end. */
export function item(of: Evaluate, index: number): Evaluate {
  return (value, budget) => {
    budget.spend(1);
    const list = of(value, budget);
    return Array.isArray(list) ? (list.at(index) ?? null) : null;
  };
}

/** `[start:stop:step]`; each part is optional. */
export function slice(of: Evaluate, [start, stop, step = 1]: readonly (number | undefined)[]): Evaluate {
  return (value, budget) => {
    const list = of(value, budget);
    if (!Array.isArray(list)) return null;
    const { length } = list;
    const [first, last] = step > 0 ? [0, length] : [-1, length - 1];
    const within = (index: number) => Math.min(last, Math.max(first, index < 0 ? index + length : index));
    const end = stop === undefined ? (step > 0 ? length : -1) : within(stop);
    const items: unknown[] = [];
    for (
      let index = start === undefined ? (step > 0 ? 0 : length - 1) : within(start);
      step > 0 ? index < end : index > end;
      index += step
    ) {
      budget.spend(2);
      items.push(list[index]);
    }
    return items;
  };
}

/** `[*]`: an expression for each item, without those that it makes null of. */
export function projection(of: Evaluate, each: Evaluate): Evaluate {
  return (value, budget) => {
    const list = of(value, budget);
    return Array.isArray(list) ? project(list, each, budget) : null;
  };
}

/** `*`: the same for each property of an object. */
export function valueProjection(of: Evaluate, each: Evaluate): Evaluate {
  return (value, budget) => {
    const record = of(value, budget);
    if (!isRecord(record)) return null;
    return project(
      budget.keysOf(record).map((key) => record[key]),
      each,
      budget,
    );
  };
}

/** `[?condition]`: the same for each item that meets the condition. */
export function filter(of: Evaluate, { condition, each }: Record<"condition" | "each", Evaluate>): Evaluate {
  const eachThatFits: Evaluate = (value, budget) =>
    isFalse(condition(value, budget), budget) ? null : each(value, budget);
  return projection(of, eachThatFits);
}

function project(list: readonly unknown[], each: Evaluate, budget: Budget): unknown[] {
  const results: unknown[] = [];
  budget.spend(3);
  for (const part of list) {
    budget.spend(4);
    const result = each(part, budget) ?? null;
    if (result !== null) results.push(result);
  }
  return results;
}

/** `[]`: lists in a list become part of it, one level deep. */
export function flatten(of: Evaluate): Evaluate {
  return (value, budget) => {
    const list = of(value, budget);
    if (!Array.isArray(list)) return null;
    const items: unknown[] = [];
    budget.spend(3);
    for (const part of list) {
      budget.spend(4);
      if (!Array.isArray(part)) items.push(part);
      else {
        budget.spend(2 * part.length);
        for (const inner of part) items.push(inner);
      }
    }
    return items;
  };
}

/** `[a, b]`. */
export function multiSelectList(parts: readonly Evaluate[]): Evaluate {
  return (value, budget) => {
    budget.spend(3 + 2 * parts.length);
    return (value ?? null) === null ? null : parts.map((part) => part(value, budget));
  };
}

/** `{name: a, other: b}`. */
export function multiSelectHash(parts: readonly (readonly [name: string, part: Evaluate])[]): Evaluate {
  return (value, budget) => {
    budget.spend(5 + 3 * parts.length);
    if ((value ?? null) === null) return null;
    const record: Record<string, unknown> = {};
    for (const [name, part] of parts) setProperty(record, name, part(value, budget));
    return record;
  };
}

/** `a || b`. */
export function or(left: Evaluate, right: Evaluate): Evaluate {
  return (value, budget) => {
    budget.spend(1);
    const first = left(value, budget);
    return isFalse(first, budget) ? right(value, budget) : first;
  };
}

/** `a && b`. */
export function and(left: Evaluate, right: Evaluate): Evaluate {
  return (value, budget) => {
    budget.spend(1);
    const first = left(value, budget);
    return isFalse(first, budget) ? first : right(value, budget);
  };
}

/** `!a`. */
export function not(of: Evaluate): Evaluate {
  return (value, budget) => {
    budget.spend(1);
    return isFalse(of(value, budget), budget);
  };
}

const ORDER: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ["<", (order) => order < 0],
  ["<=", (order) => order <= 0],
  [">", (order) => order > 0],
  [">=", (order) => order >= 0],
]);

/** `a == b` of any values; `a < b` of two numbers or two texts, as dates are: of anything else it is null. */
export function comparison(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  const decide = ORDER.get(operator);
  if (!decide) {
    return (value, budget) =>
      isEqual(left(value, budget), right(value, budget), budget) === (operator === "==");
  }
  return (value, budget) => {
    const one = left(value, budget);
    const other = right(value, budget);
    if (typeof one === "number" && typeof other === "number") return decide(compare(one, other, budget));
    if (typeof one === "string" && typeof other === "string") return decide(compare(one, other, budget));
    budget.spend(1);
    return null;
  };
}
