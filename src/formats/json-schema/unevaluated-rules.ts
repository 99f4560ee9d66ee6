import { isRecord } from "../../core/index.ts";
import type { Rule } from "./rule.ts";
import { allFit, keysOf, partPath, spend } from "./run.ts";
import { markAllSeen } from "./seen.ts";

const unevaluatedProperties: Rule = ({ unevaluatedProperties: given }, sub) => {
  const check = sub(given);
  return (value, run, path, seen) => {
    if (!isRecord(value) || !seen || seen.allProperties) return true;
    const fits = allFit(
      run,
      keysOf(value, run),
      (name) => seen.properties.has(name) || check(value[name], run, partPath(run, path, name), undefined),
    );
    markAllSeen(seen);
    return fits;
  };
};

const unevaluatedItems: Rule = ({ unevaluatedItems: given }, sub) => {
  const check = sub(given);
  return (value, run, path, seen) => {
    if (!Array.isArray(value) || !seen) return true;
    spend(run, value.length);
    const fits = allFit(
      run,
      value,
      (item, index) =>
        index < seen.items ||
        seen.indexes.has(index) ||
        check(item, run, partPath(run, path, index), undefined),
    );
    markAllSeen(seen);
    return fits;
  };
};

/** Rules that run last: they need the evaluated parts of all others. */
export const UNEVALUATED_RULES: Readonly<Record<string, Rule>> = { unevaluatedProperties, unevaluatedItems };
