import { isRecord } from "../../core/index.ts";
import { partPath, type Rule } from "./run.ts";

const unevaluatedProperties: Rule = ({ unevaluatedProperties: given }, sub) => {
  if (given === undefined) return undefined;
  const check = sub(given);
  return (value, run, path, seen) => {
    if (!isRecord(value) || !seen) return true;
    let fits = true;
    for (const name of Object.keys(value)) {
      if (seen.allProperties || seen.properties.has(name)) continue;
      if (check(value[name], run, partPath(run, path, name), undefined)) continue;
      fits = false;
      if (!run.problems) return false;
    }
    seen.allProperties = true;
    return fits;
  };
};

const unevaluatedItems: Rule = ({ unevaluatedItems: given }, sub) => {
  if (given === undefined) return undefined;
  const check = sub(given);
  return (value, run, path, seen) => {
    if (!Array.isArray(value) || !seen) return true;
    let fits = true;
    for (let index = seen.items; index < value.length; index++) {
      if (seen.indexes.has(index)) continue;
      if (check(value[index], run, partPath(run, path, index), undefined)) continue;
      fits = false;
      if (!run.problems) return false;
    }
    seen.items = value.length;
    return fits;
  };
};

/** Rules that come last: they need to know what all the others have looked at. */
export const UNEVALUATED_RULES: readonly Rule[] = [unevaluatedProperties, unevaluatedItems];
