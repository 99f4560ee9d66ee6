import {
  isRecord,
  type JsonSchema,
  RecentMap,
  type SchemaProblem,
  SchemaUnusable,
  type SchemaValidator,
} from "../../core/index.ts";
import { compileSchema } from "./compile.ts";
import { describeSchema, describeValue } from "./describe.ts";
import type { Check } from "./rule.ts";
import { type Failure, type PatternCache, type Run, startExplaining, startRun } from "./run.ts";
import { problemOfSchema } from "./schema-problem.ts";

const MAX_PATH = 500;
const PATTERNS_KEPT = 1_000;

/** Options of the validator. */
interface ValidatorOptions {
  /** Number of compiled schemas that are kept at least; at most twice as many. */
  readonly cacheSize?: number;
}

/** Checks values against JSON Schema 2020-12 and draft-07, within bounds that no schema can break. */
export function createSchemaValidator(options: ValidatorOptions = {}): SchemaValidator {
  const { cacheSize = 5_000 } = options;
  const checks = new RecentMap<object, Check>(cacheSize);
  const patterns: PatternCache = new RecentMap(PATTERNS_KEPT);

  return {
    check(schema: JsonSchema, value: unknown): readonly SchemaProblem[] {
      if (schema === false) return [{ path: "", expected: "no value here", actual: describeValue(value) }];
      if (!isRecord(schema)) return [];
      const check = checks.get(schema, () => compileSchema(schema));
      const run = startRun(value, patterns);
      if (fits(check, value, run)) return [];
      const problems = withoutRepeats(explain(check, value, run).map(toProblem));
      if (problems.length > 0) return problems;
      return [{ path: "", expected: describeSchema(schema), actual: describeValue(value) }];
    },
    problemOfSchema,
  };
}

function fits(check: Check, value: unknown, run: Run): boolean {
  try {
    return check(value, run, "", undefined);
  } catch (error) {
    // The free stack depends on the caller, so the depth limit alone is not enough.
    if (error instanceof RangeError) throw new SchemaUnusable("checking goes too deep");
    throw error;
  }
}

/** Collecting all failures takes longer than finding one: those found in time are enough. */
function explain(check: Check, value: unknown, run: Run): readonly Failure[] {
  const failures: Failure[] = [];
  try {
    check(value, startExplaining(run, failures), "", undefined);
  } catch (error) {
    if (!(error instanceof SchemaUnusable || error instanceof RangeError)) throw error;
  }
  return failures;
}

function toProblem({ path, value, expected }: Failure): SchemaProblem {
  const shownPath = path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…`;
  return { path: shownPath, expected: expected(), actual: describeValue(value) };
}

/** One part of a schema may be reached in several ways. */
function withoutRepeats(problems: readonly SchemaProblem[]): SchemaProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.expected}`, problem])).values()];
}
