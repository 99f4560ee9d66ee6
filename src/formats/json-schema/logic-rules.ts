import type { SchemaProblem } from "../../core/index.ts";
import { describeSchema, describeValue } from "./describe.ts";
import { type Check, mergeSeen, nothingSeen, onTheSide, type Rule, type Run, report } from "./run.ts";

const allOf: Rule = ({ allOf: parts }, sub) => {
  if (!Array.isArray(parts)) return undefined;
  const checks = parts.map(sub);
  return (value, run, path, seen) => {
    let fits = true;
    for (const check of checks) {
      if (check(value, run, path, seen)) continue;
      fits = false;
      if (!run.problems) return false;
    }
    return fits;
  };
};

const anyOf: Rule = ({ anyOf: parts }, sub) => {
  if (!Array.isArray(parts)) return undefined;
  const checks = parts.map(sub);
  return (value, run, path, seen) => {
    const failures: SchemaProblem[][] = [];
    let fits = false;
    for (const check of checks) {
      const own = seen && nothingSeen();
      const trial = onTheSide(() => check(value, run, path, own), run);
      if (trial.fits) {
        fits = true;
        // Only the unevaluated keywords care which of the other alternatives fit too.
        if (!seen) return true;
        mergeSeen(seen, own);
      } else failures.push(trial.problems);
    }
    return fits || reportAlternatives(run, { path, value, parts, failures });
  };
};

const oneOf: Rule = ({ oneOf: parts }, sub) => {
  if (!Array.isArray(parts)) return undefined;
  const checks = parts.map(sub);
  return (value, run, path, seen) => {
    const failures: SchemaProblem[][] = [];
    let fitting = 0;
    for (const check of checks) {
      const own = seen && nothingSeen();
      const trial = onTheSide(() => check(value, run, path, own), run);
      if (trial.fits) {
        fitting++;
        if (fitting > 1 && !run.problems) return false;
        mergeSeen(seen, own);
      } else failures.push(trial.problems);
    }
    if (fitting === 1) return true;
    if (fitting === 0) return reportAlternatives(run, { path, value, parts, failures });
    return report(
      run,
      path,
      `exactly one of ${parts.length} alternatives`,
      `a value that fits ${fitting} of them`,
    );
  };
};

interface FailedAlternatives {
  readonly path: string;
  readonly value: unknown;
  readonly parts: readonly unknown[];
  readonly failures: readonly SchemaProblem[][];
}

/** Reports the alternative that came closest: one that fails inside the value, not at the value itself. */
function reportAlternatives(run: Run, { path, value, parts, failures }: FailedAlternatives): false {
  if (!run.problems) return false;
  const inside = failures
    .filter(
      (problems) => problems.length > 0 && problems.every((problem) => problem.path.length > path.length),
    )
    .sort((a, b) => a.length - b.length);
  const [closest] = inside;
  if (closest && (inside.length === 1 || closest.length < (inside[1]?.length ?? 0))) {
    for (const problem of closest) report(run, problem.path, problem.expected, problem.actual);
    return false;
  }
  const expected = [...new Set(parts.map(describeSchema))].slice(0, 8).join(" or ");
  return report(run, path, expected, describeValue(value));
}

const not: Rule = ({ not: part }, sub) => {
  if (part === undefined) return undefined;
  const check = sub(part);
  return (value, run, path, seen) => {
    const { fits } = onTheSide(() => check(value, run, path, seen && nothingSeen()), run);
    return !fits || report(run, path, `anything but ${describeSchema(part)}`, describeValue(value));
  };
};

const conditional: Rule = ({ if: test, then: yes, else: no }, sub) => {
  if (test === undefined) return undefined;
  const condition = sub(test);
  const whenYes = yes === undefined ? undefined : sub(yes);
  const whenNo = no === undefined ? undefined : sub(no);
  return (value, run, path, seen) => {
    const own = seen && nothingSeen();
    const { fits } = onTheSide(() => condition(value, run, path, own), run);
    if (fits) mergeSeen(seen, own);
    const branch: Check | undefined = fits ? whenYes : whenNo;
    return branch?.(value, run, path, seen) ?? true;
  };
};

/** Rules that combine schemas on the same value. */
export const LOGIC_RULES: readonly Rule[] = [allOf, anyOf, oneOf, not, conditional];
