import {
  isRecord,
  type JsonSchema,
  type SchemaProblem,
  SchemaUnusable,
  type SchemaValidator,
} from "../../core/index.ts";
import { compileSchema } from "./compile.ts";
import { describeSchema, describeValue } from "./describe.ts";
import type { Check } from "./rule.ts";
import { type Failure, startRun } from "./run.ts";

const MAX_PATH = 500;

/** How much the validator keeps. */
export interface ValidatorOptions {
  /** How many compiled schemas are kept at the most; those unused for long go first. */
  readonly cacheSize?: number;
}

/** Checks values against JSON Schema 2020-12 and draft-07, within bounds that no schema can break. */
export function createSchemaValidator(options: ValidatorOptions = {}): SchemaValidator {
  const { cacheSize = 4_000 } = options;
  // Two generations instead of one ordered map: moving an entry to its end on every use gets slower the more
  // there are. What was not used while a whole generation filled is gone with the one before it.
  let recent = new Map<object, Check>();
  let older: ReadonlyMap<object, Check> = new Map();

  function compiled(schema: { readonly [keyword: string]: unknown }): Check {
    const known = recent.get(schema);
    if (known) return known;
    const check = older.get(schema) ?? compileSchema(schema);
    if (recent.size >= Math.ceil(cacheSize / 2)) {
      older = recent;
      recent = new Map();
    }
    recent.set(schema, check);
    return check;
  }

  return {
    check(schema: JsonSchema, value: unknown): readonly SchemaProblem[] {
      if (schema === false) return [{ path: "", expected: "no value here", actual: describeValue(value) }];
      if (!isRecord(schema)) return [];
      const check = compiled(schema);
      if (fits(check, value)) return [];
      const problems = withoutRepeats(explain(check, value).map(toProblem));
      if (problems.length > 0) return problems;
      return [{ path: "", expected: describeSchema(schema), actual: describeValue(value) }];
    },
  };
}

function fits(check: Check, value: unknown): boolean {
  try {
    return check(value, startRun(undefined), "", undefined);
  } catch (error) {
    // What is left of the stack depends on the caller, so the depth limit alone is not enough.
    if (error instanceof RangeError) throw new SchemaUnusable("checking goes too deep");
    throw error;
  }
}

/** Collecting all that is wrong takes longer than finding that something is: what is found in time will do. */
function explain(check: Check, value: unknown): readonly Failure[] {
  const failures: Failure[] = [];
  try {
    check(value, startRun(failures), "", undefined);
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
