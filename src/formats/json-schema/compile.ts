import { isRecord, type UnknownRecord } from "../../core/index.ts";
import { ARRAY_RULES } from "./array-rules.ts";
import { type Resource, SchemaDocument, type Target } from "./document.ts";
import { LOGIC_RULES } from "./logic-rules.ts";
import { NUMBER_RULES } from "./number-rules.ts";
import { OBJECT_RULES } from "./object-rules.ts";
import { type Check, descend, mergeSeen, nothingSeen, type Rule, report, spend } from "./run.ts";
import { STRING_RULES } from "./string-rules.ts";
import { UNEVALUATED_RULES } from "./unevaluated-rules.ts";
import { VALUE_RULES } from "./value-rules.ts";

const RULES: readonly Rule[] = [
  ...VALUE_RULES,
  ...NUMBER_RULES,
  ...STRING_RULES,
  ...ARRAY_RULES,
  ...OBJECT_RULES,
  ...LOGIC_RULES,
];

const ANYTHING: Check = () => true;
const NOTHING: Check = (_value, run, path) => report(run, path, "nothing here", "a value");

/**
 * Turns a schema into closures, each part when a value first reaches it: a schema of a megabyte costs
 * only what the values that are checked against it touch.
 */
export function compileSchema(schema: UnknownRecord): Check {
  const document = new SchemaDocument(schema);
  const compiled = new Map<UnknownRecord, Check>();

  function checkOf(part: unknown, around: Resource): Check {
    if (part === false) return NOTHING;
    if (!isRecord(part)) return ANYTHING;
    const known = compiled.get(part);
    if (known) return known;
    const check = compilePart(part, document.resourceOf(part, around));
    compiled.set(part, check);
    return check;
  }

  function whenReached(part: unknown, around: Resource): Check {
    let check: Check | undefined;
    return (value, run, path, seen) => {
      check ??= checkOf(part, around);
      return check(value, run, path, seen);
    };
  }

  function compilePart(part: UnknownRecord, resource: Resource): Check {
    const sub = (child: unknown) => whenReached(child, resource);
    const refAlone = resource.refStandsAlone && typeof part.$ref === "string";
    const checks = [referenceCheck(part, resource), dynamicReferenceCheck(part, resource)];
    if (!refAlone) checks.push(...RULES.map((rule) => rule(part, sub)));
    const first = checks.filter((check) => check !== undefined);
    const last = refAlone
      ? []
      : UNEVALUATED_RULES.map((rule) => rule(part, sub)).filter((check) => check !== undefined);
    return join(first, last, resource);
  }

  function referenceCheck({ $ref }: UnknownRecord, resource: Resource): Check | undefined {
    if (typeof $ref !== "string") return undefined;
    const target = document.resolve($ref, resource);
    // A reference that leads nowhere is the schema's fault: it allows anything rather than nothing.
    return target ? whenReached(target.schema, target.resource) : undefined;
  }

  function dynamicReferenceCheck({ $dynamicRef }: UnknownRecord, resource: Resource): Check | undefined {
    if (typeof $dynamicRef !== "string") return undefined;
    const initial = document.resolve($dynamicRef, resource);
    if (!initial) return undefined;
    const anchor = isRecord(initial.schema) ? initial.schema.$dynamicAnchor : undefined;
    if (typeof anchor !== "string" || !$dynamicRef.endsWith(`#${anchor}`)) {
      return whenReached(initial.schema, initial.resource);
    }
    return (value, run, path, seen) => {
      const outermost = run.scope.find((candidate) => candidate.dynamicAnchors.has(anchor));
      const target: Target = outermost
        ? { schema: outermost.dynamicAnchors.get(anchor), resource: outermost }
        : initial;
      return checkOf(target.schema, target.resource)(value, run, path, seen);
    };
  }

  return checkOf(schema, document.root);
}

/** All checks of one part on one value; the unevaluated ones after the others. */
function join(first: readonly Check[], last: readonly Check[], resource: Resource): Check {
  return (value, run, path, outer) => {
    spend(run, 1);
    descend(run);
    const entered = run.scope.at(-1) !== resource;
    if (entered) run.scope.push(resource);
    const seen = last.length > 0 ? nothingSeen() : outer;
    let fits = true;
    for (const check of first) {
      if (check(value, run, path, seen)) continue;
      fits = false;
      if (!run.problems) break;
    }
    if (fits) fits = last.every((check) => check(value, run, path, seen));
    if (fits && seen !== outer) mergeSeen(outer, seen);
    if (entered) run.scope.pop();
    run.depth--;
    return fits;
  };
}
