import { isRecord } from "../../core/index.ts";
import { describeChoices, describeSchema } from "./describe.ts";
import { type Check, markAllSeen, mergeSeen, nothingSeen, type Rule, type Seen } from "./rule.ts";
import { allFit, keysOf, type Misfit, onTheSide, partPath, type Run, report, spend } from "./run.ts";

const allOf: Rule = ({ allOf: parts }, sub) => {
  if (!Array.isArray(parts)) return undefined;
  const checks = parts.map(sub);
  return (value, run, path, seen) => allFit(run, checks, (check) => check(value, run, path, seen));
};

const anyOf: Rule = ({ anyOf: parts }, sub) => {
  if (!Array.isArray(parts)) return undefined;
  const checks = parts.map(sub);
  return (value, run, path, seen) => {
    const failures: Misfit[][] = [];
    let fits = false;
    for (const check of checks) {
      const trial = attempt(check, { value, run, path, seen });
      if (!trial.fits) failures.push(trial.failures);
      // Only the unevaluated keywords need to know which other alternatives match.
      else if (!seen) return true;
      else fits = true;
    }
    return fits || reportAlternatives(run, failures, { path, value, parts });
  };
};

const oneOf: Rule = ({ oneOf: parts }, sub) => {
  if (!Array.isArray(parts)) return undefined;
  const checks = parts.map(sub);
  return (value, run, path, seen) => {
    const failures: Misfit[][] = [];
    const fitting: unknown[] = [];
    let surely = 0;
    for (const [index, check] of checks.entries()) {
      const trial = attempt(check, { value, run, path, seen });
      if (!trial.fits) failures.push(trial.failures);
      else {
        fitting.push(parts[index]);
        if (trial.sure) surely++;
        if (surely > 1) {
          const expected = () => `only one of ${fitting.map(describeSchema).join(" and ")}, not both`;
          return report(run, { path, value, expected });
        }
      }
    }
    return fitting.length > 0 || reportAlternatives(run, failures, { path, value, parts });
  };
};

interface Attempt {
  readonly value: unknown;
  readonly run: Run;
  readonly path: string;
  readonly seen: Seen | undefined;
}

/** Tries a subschema; its evaluated parts count only if it matches. */
function attempt(check: Check, { value, run, path, seen }: Attempt) {
  const own = seen && nothingSeen(run);
  const trial = onTheSide(run, () => check(value, run, path, own));
  if (trial.fits && own) mergeSeen(run, seen, own);
  return trial;
}

interface Alternatives {
  readonly path: string;
  readonly value: unknown;
  readonly parts: readonly unknown[];
}

function reportAlternatives(run: Run, failures: Misfit[][], { path, value, parts }: Alternatives): false {
  if (!run.failures) return false;
  const closest = closestFailures(failures, path);
  const expected = () => [...new Set(parts.slice(0, 8).map(describeSchema))].join(" or ");
  for (const failure of closest ?? [{ path, value, expected }]) report(run, failure);
  return false;
}

const not: Rule = ({ not: part }, sub) => {
  const check = sub(part);
  const expected = () => `anything but ${describeSchema(part)}`;
  return (value, run, path, seen) => {
    const { fits, sure } = onTheSide(run, () => check(value, run, path, seen && nothingSeen(run)));
    return !fits || !sure || report(run, { path, value, expected });
  };
};

const conditional: Rule = ({ if: test, then: yes, else: no }, sub) => {
  const condition = sub(test);
  const whenYes = yes === undefined ? undefined : sub(yes);
  const whenNo = no === undefined ? undefined : sub(no);
  return (value, run, path, seen) => {
    const { fits, sure } = attempt(condition, { value, run, path, seen });
    // The branch is unknown, so neither counts.
    if (!sure) {
      markAllSeen(seen);
      return true;
    }
    const branch = fits ? whenYes : whenNo;
    return branch?.(value, run, path, seen) ?? true;
  };
};

/** Rules that combine schemas on the same value, by the keyword that asks for them. */
export const LOGIC_RULES: Readonly<Record<string, Rule>> = { allOf, anyOf, oneOf, not, if: conditional };

/** Alternatives of alternatives must not add up without end. */
const MAX_CHOICES = 100;

/**
 * Of the alternatives that a value at `path` failed, the failures of the one that was probably meant:
 * it fails inside the value, not at the value itself, and its fixed values (`kind: "circle"`) are right.
 * Undefined if there is no clear best one.
 */
function closestFailures(alternatives: readonly Misfit[][], path: string): Misfit[] | undefined {
  const inside = alternatives.filter(
    (failures) => failures.length > 0 && failures.every((failure) => failure.path.length > path.length),
  );
  const meant = inside.filter((failures) => !failures.some(({ choices }) => choices));
  if (meant.length === 0 && inside.length > 1) {
    const wrongTag = commonTag(inside);
    if (wrongTag) return [wrongTag];
  }
  const [first, second] = (meant.length > 0 ? meant : inside).sort((a, b) => a.length - b.length);
  return second && first?.length === second.length ? undefined : first;
}

/** If every alternative requires a fixed value at the same place and none matches: all those values. */
function commonTag([first = [], ...others]: readonly Misfit[][]): Misfit | undefined {
  for (const failure of first) {
    const same = others.map((failures) =>
      failures.find(({ path, choices }) => choices && path === failure.path),
    );
    if (!failure.choices || same.includes(undefined)) continue;
    const all = [failure, ...same].flatMap((other) => other?.choices?.slice(0, MAX_CHOICES) ?? []);
    const choices = [...new Set(all)].slice(0, MAX_CHOICES);
    return { ...failure, choices, expected: () => describeChoices(choices) };
  }
  return undefined;
}

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
