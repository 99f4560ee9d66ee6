import {
  isRecord,
  type JsonSchema,
  RecentMap,
  type SchemaProblem,
  SchemaUnusable,
  type SchemaValidator,
  type UnknownRecord,
} from "../../core/index.ts";
import { ARRAY_RULES } from "./array-rules.ts";
import { describeSchema, describeValue } from "./describe.ts";
import { SchemaDocument, type SchemaResource } from "./document.ts";
import { LOGIC_RULES, UNEVALUATED_RULES } from "./logic-rules.ts";
import { OBJECT_RULES } from "./object-rules.ts";
import { type Check, markAllSeen, mergeSeen, nothingSeen, type Rule, type Subschema } from "./rule.ts";
import {
  descend,
  type Misfit,
  type PatternCache,
  type Run,
  report,
  spend,
  startExplaining,
  startRun,
  wantsMore,
} from "./run.ts";
import { problemOfSchema } from "./schema-problem.ts";
import { VALUE_RULES } from "./value-rules.ts";

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
function explain(check: Check, value: unknown, run: Run): readonly Misfit[] {
  const failures: Misfit[] = [];
  try {
    check(value, startExplaining(run, failures), "", undefined);
  } catch (error) {
    if (!(error instanceof SchemaUnusable || error instanceof RangeError)) throw error;
  }
  return failures;
}

function toProblem({ path, value, expected }: Misfit): SchemaProblem {
  const shownPath = path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…`;
  return { path: shownPath, expected: expected(), actual: describeValue(value) };
}

/** One part of a schema may be reached in several ways. */
function withoutRepeats(problems: readonly SchemaProblem[]): SchemaProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.expected}`, problem])).values()];
}

const STEPS_PER_PART = 30;

const RULES = ordered({
  ...VALUE_RULES,
  ...ARRAY_RULES,
  ...OBJECT_RULES,
  ...LOGIC_RULES,
});
const LAST_RULES = ordered(UNEVALUATED_RULES);

const ANYTHING: Check = (_value, run) => {
  spend(run, 1);
  return true;
};

const NOTHING: Check = (value, run, path) => {
  spend(run, 1);
  return report(run, { path, value, expected: () => "no value here" });
};

/** A reference that leads nowhere is the schema's fault: it allows anything rather than nothing. */
const UNREACHABLE: Check = (_value, run, _path, seen) => {
  run.passedOver++;
  markAllSeen(seen);
  return true;
};

/**
 * Turns a schema into closures, each part when a value first reaches it: a schema of a megabyte costs
 * only the parts that validated values reach.
 */
function compileSchema(schema: UnknownRecord): Check {
  const document = new SchemaDocument(schema);
  const compiled = new Map<UnknownRecord, Check>();

  function checkOf(part: unknown, around: SchemaResource, run: Run): Check {
    if (part === false) return NOTHING;
    if (!isRecord(part)) return ANYTHING;
    const known = compiled.get(part);
    if (known) return known;
    spend(run, STEPS_PER_PART);
    const check = compilePart(part, document.resourceOf(part, around));
    compiled.set(part, check);
    return check;
  }

  function whenReached(part: unknown, around: SchemaResource): Check {
    let check: Check | undefined;
    return (value, run, path, seen) => {
      check ??= checkOf(part, around, run);
      return check(value, run, path, seen);
    };
  }

  function compilePart(part: UnknownRecord, resource: SchemaResource): Check {
    const sub = (child: unknown) => whenReached(child, resource);
    const references = [referenceCheck(part, resource), dynamicReferenceCheck(part, resource)];
    const present = references.filter((check) => check !== undefined);
    if (resource.refStandsAlone && typeof part.$ref === "string") return join(present, [], resource);
    const first = [...present, ...checksOf(RULES, part, sub)];
    return join(first, checksOf(LAST_RULES, part, sub), resource);
  }

  function referenceCheck({ $ref }: UnknownRecord, resource: SchemaResource): Check | undefined {
    if (typeof $ref !== "string") return undefined;
    const target = document.resolve($ref, resource);
    return target ? whenReached(target.schema, target.resource) : UNREACHABLE;
  }

  function dynamicReferenceCheck(
    { $dynamicRef }: UnknownRecord,
    resource: SchemaResource,
  ): Check | undefined {
    if (typeof $dynamicRef !== "string") return undefined;
    const initial = document.resolve($dynamicRef, resource);
    if (!initial) return UNREACHABLE;
    const anchor = isRecord(initial.schema) ? initial.schema.$dynamicAnchor : undefined;
    if (typeof anchor !== "string" || !$dynamicRef.endsWith(`#${anchor}`)) {
      return whenReached(initial.schema, initial.resource);
    }
    return (value, run, path, seen) => {
      spend(run, run.scope.length);
      const outermost = run.scope.find((candidate) => candidate.dynamicAnchors.has(anchor));
      const resource = outermost ?? initial.resource;
      const target = outermost ? outermost.dynamicAnchors.get(anchor) : initial.schema;
      return checkOf(target, resource, run)(value, run, path, seen);
    };
  }

  return whenReached(schema, document.root);
}

/** Rules by keyword, each with its place: problems are found in this order, whatever that of the schema is. */
type Ordered = ReadonlyMap<string, { readonly rule: Rule; readonly place: number }>;

function ordered(rules: Readonly<Record<string, Rule>>): Ordered {
  return new Map(Object.entries(rules).map(([keyword, rule], place) => [keyword, { rule, place }]));
}

/** The checks that a part asks for, each once: some rules answer to several keywords. */
function checksOf(rules: Ordered, part: UnknownRecord, sub: Subschema): Check[] {
  const asked = Object.keys(part)
    .map((keyword) => rules.get(keyword))
    .filter((found) => found !== undefined)
    .sort((a, b) => a.place - b.place);
  return [...new Set(asked.map(({ rule }) => rule))]
    .map((rule) => rule(part, sub))
    .filter((check) => check !== undefined);
}

/** All checks of one part on one value; the unevaluated ones after the others. */
function join(first: readonly Check[], last: readonly Check[], resource: SchemaResource): Check {
  const checks = [...first, ...last];
  return (value, run, path, outer) => {
    spend(run, 2);
    descend(run);
    const entered = run.scope.at(-1) !== resource;
    if (entered) run.scope.push(resource);
    const seen = last.length > 0 ? nothingSeen(run) : outer;
    let fits = true;
    for (let index = 0; index < checks.length; index++) {
      if (!fits && (index >= first.length || !wantsMore(run))) break;
      if (!checks[index]?.(value, run, path, seen)) fits = false;
    }
    if (fits && seen !== outer) mergeSeen(run, outer, seen);
    if (entered) run.scope.pop();
    run.depth--;
    return fits;
  };
}
