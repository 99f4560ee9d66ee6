import { describeSchema } from "./describe.ts";
import type { Check, Rule } from "./rule.ts";
import { allFit, onTheSide, partPath, report, spend } from "./run.ts";
import { DistinctValues } from "./same.ts";

function sizeRule(limit: unknown, words: string, fits: (size: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  const expected = () => `${words} ${limit} items`;
  return ((value, run, path) =>
    !Array.isArray(value) ||
    fits(value.length, limit) ||
    report(run, { path, value, expected })) satisfies Check;
}

const minItems: Rule = ({ minItems: limit }) => sizeRule(limit, "at least", (size, least) => size >= least);

const maxItems: Rule = ({ maxItems: limit }) => sizeRule(limit, "at most", (size, most) => size <= most);

/** The first items each by a schema of their own, the rest by one; draft-07 spells it items and additionalItems. */
const items: Rule = ({ prefixItems, items: given, additionalItems }, sub) => {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(given) ? given : [];
  const rest = Array.isArray(given) ? additionalItems : given;
  const firstChecks = first.map(sub);
  const restCheck = rest === undefined ? undefined : sub(rest);
  return (value, run, path, seen) => {
    if (!Array.isArray(value)) return true;
    spend(run, value.length);
    if (seen) seen.items = Math.max(seen.items, restCheck ? value.length : firstChecks.length);
    return allFit(run, value, (item, index) => {
      const check = firstChecks[index] ?? restCheck;
      return !check || check(item, run, partPath(run, path, index), undefined);
    });
  };
};

const contains: Rule = ({ contains: given, minContains, maxContains }, sub) => {
  const check = sub(given);
  const least = typeof minContains === "number" ? minContains : 1;
  const most = typeof maxContains === "number" ? maxContains : Number.POSITIVE_INFINITY;
  return (value, run, path, seen) => {
    if (!Array.isArray(value)) return true;
    let count = 0;
    let surely = 0;
    for (const [index, item] of value.entries()) {
      const { fits, sure } = onTheSide(run, () => check(item, run, path, undefined));
      if (!fits) continue;
      count++;
      if (sure) surely++;
      seen?.indexes.add(index);
    }
    if (count >= least && surely <= most) return true;
    const wanted = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    const expected = () => `${wanted} items that are ${describeSchema(given)} (there are ${count})`;
    return report(run, { path, value, expected });
  };
};

const uniqueItems: Rule = ({ uniqueItems: wanted }) => {
  if (wanted !== true) return undefined;
  return (value, run, path) => {
    if (!Array.isArray(value)) return true;
    spend(run, 10 + 2 * value.length);
    const distinct = new DistinctValues(value.length);
    for (const [index, item] of value.entries()) {
      const number = distinct.add(item, run.budget);
      if (number === index) continue;
      const expected = () => `an item that differs from item ${number}`;
      return report(run, { path: partPath(run, path, index), value: item, expected });
    }
    return true;
  };
};

/** Rules for arrays, by the keyword that asks for them. */
export const ARRAY_RULES: Readonly<Record<string, Rule>> = {
  minItems,
  maxItems,
  prefixItems: items,
  items,
  contains,
  uniqueItems,
};
