import { isRecord } from "../../core/index.ts";
import { describeValue } from "./describe.ts";
import { type Check, partPath, type Rule, report, spend } from "./run.ts";

function sizeRule(limit: unknown, expected: string, fits: (size: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  return ((value, run, path) =>
    !Array.isArray(value) ||
    fits(value.length, limit) ||
    report(run, path, `${expected} ${limit} items`, describeValue(value))) satisfies Check;
}

const minItems: Rule = ({ minItems: limit }) => sizeRule(limit, "at least", (size, least) => size >= least);

const maxItems: Rule = ({ maxItems: limit }) => sizeRule(limit, "at most", (size, most) => size <= most);

/** The first items each by a schema of their own, the rest by one; draft-07 spells it items and additionalItems. */
const items: Rule = ({ prefixItems, items: given, additionalItems }, sub) => {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(given) ? given : [];
  const rest = Array.isArray(given) ? additionalItems : given;
  if (first.length === 0 && rest === undefined) return undefined;
  const firstChecks = first.map(sub);
  const restCheck = rest === undefined ? undefined : sub(rest);
  return (value, run, path, seen) => {
    if (!Array.isArray(value)) return true;
    spend(run, value.length);
    let fits = true;
    const count = restCheck ? value.length : Math.min(firstChecks.length, value.length);
    for (let index = 0; index < count; index++) {
      const check = firstChecks[index] ?? restCheck;
      if (check && !check(value[index], run, partPath(run, path, index), undefined)) {
        fits = false;
        if (!run.problems) return false;
      }
    }
    if (seen) seen.items = Math.max(seen.items, count);
    return fits;
  };
};

const contains: Rule = ({ contains: given, minContains, maxContains }, sub) => {
  if (given === undefined) return undefined;
  const check = sub(given);
  const least = typeof minContains === "number" ? minContains : 1;
  const most = typeof maxContains === "number" ? maxContains : Number.POSITIVE_INFINITY;
  return (value, run, path, seen) => {
    if (!Array.isArray(value)) return true;
    const outer = run.problems;
    run.problems = undefined;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (!check(item, run, path, undefined)) continue;
      count++;
      seen?.indexes.add(index);
    }
    run.problems = outer;
    if (count >= least && count <= most) return true;
    const wanted = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    return report(run, path, `${wanted} items of the form that contains asks for`, `${count}`);
  };
};

const uniqueItems: Rule = ({ uniqueItems: wanted }) => {
  if (wanted !== true) return undefined;
  return (value, run, path) => {
    if (!Array.isArray(value)) return true;
    const known = new Set<unknown>();
    for (const [index, item] of value.entries()) {
      spend(run, 1);
      const key = typeof item === "object" && item !== null ? canonical(item) : item;
      if (known.has(key))
        return report(run, partPath(run, path, index), "items that differ", describeValue(item));
      known.add(key);
    }
    return true;
  };
};

/** Equal values have equal text; the prefix keeps it apart from strings that happen to look like it. */
function canonical(item: unknown): string {
  const sorted = JSON.stringify(item, (_key, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return `\u0000${sorted}`;
}

/** Rules for arrays. */
export const ARRAY_RULES: readonly Rule[] = [minItems, maxItems, items, contains, uniqueItems];
