import {
  isRecord,
  type JsonSchema,
  type SchemaProblem,
  SchemaUnusable,
  type SchemaValidator,
} from "../../core/index.ts";
import { compileSchema } from "./compile.ts";
import { type Check, startRun } from "./run.ts";

/** How much the validator keeps. */
export interface ValidatorOptions {
  /** How many compiled schemas are kept; the one unused for longest goes first. */
  readonly cacheSize?: number;
}

/** Checks values against JSON Schema 2020-12 and draft-07, within bounds that no schema can break. */
export function createSchemaValidator(options: ValidatorOptions = {}): SchemaValidator {
  const { cacheSize = 2_000 } = options;
  const cache = new Map<object, Check>();

  function compiled(schema: { readonly [keyword: string]: unknown }): Check {
    const known = cache.get(schema);
    if (known) {
      cache.delete(schema);
      cache.set(schema, known);
      return known;
    }
    const check = compileSchema(schema);
    cache.set(schema, check);
    const [oldest] = cache.size > cacheSize ? cache.keys() : [];
    if (oldest) cache.delete(oldest);
    return check;
  }

  return {
    check(schema: JsonSchema, value: unknown): readonly SchemaProblem[] {
      if (schema === false) return [{ path: "", expected: "nothing", actual: "a value" }];
      if (!isRecord(schema)) return [];
      return guarded(() => {
        const check = compiled(schema);
        if (check(value, startRun(undefined), "", undefined)) return [];
        const problems: SchemaProblem[] = [];
        check(value, startRun(problems), "", undefined);
        return problems.length > 0
          ? problems
          : [{ path: "", expected: "another form", actual: "this value" }];
      });
    },
  };
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // What is left of the stack depends on the caller, so the depth limit alone is not enough.
    if (error instanceof RangeError) throw new SchemaUnusable("checking goes too deep");
    throw error;
  }
}
