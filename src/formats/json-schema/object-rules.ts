import { isRecord } from "../../core/index.ts";
import { describeSchema, describeUnknownName } from "./describe.ts";
import { patternTest } from "./pattern.ts";
import type { Check, Rule } from "./rule.ts";
import { allFit, keysOf, onTheSide, partPath, report, spend } from "./run.ts";

function sizeRule(limit: unknown, words: string, fits: (size: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  const expected = () => `${words} ${limit} properties`;
  return ((value, run, path) =>
    !isRecord(value) ||
    fits(keysOf(value, run).length, limit) ||
    report(run, { path, value, expected })) satisfies Check;
}

const minProperties: Rule = ({ minProperties: limit }) =>
  sizeRule(limit, "at least", (size, least) => size >= least);

const maxProperties: Rule = ({ maxProperties: limit }) =>
  sizeRule(limit, "at most", (size, most) => size <= most);

const required: Rule = ({ required: names, properties: named }) =>
  Array.isArray(names) ? needs(names, named, "required") : undefined;

function needs(given: readonly unknown[], properties: unknown, reason: string): Check {
  const names = given.filter((name) => typeof name === "string");
  const wanted = (name: string) =>
    isRecord(properties) && Object.hasOwn(properties, name) ? describeSchema(properties[name]) : "a value";
  return (value, run, path) => {
    if (!isRecord(value)) return true;
    spend(run, names.length);
    return allFit(
      run,
      names,
      (name) =>
        Object.hasOwn(value, name) ||
        report(run, {
          path: partPath(run, path, name),
          value: undefined,
          expected: () => `${wanted(name)} (${reason})`,
        }),
    );
  };
}

/** properties, patternProperties and additionalProperties are one rule: the last depends on the others. */
const properties: Rule = ({ properties: given, patternProperties, additionalProperties }, sub) => {
  const named = new Map(entriesOf(given).map(([name, part]) => [name, sub(part)]));
  const patterned = entriesOf(patternProperties).map(
    ([source, part]) => [patternTest(source), sub(part)] as const,
  );
  const additional: Check | undefined =
    additionalProperties === undefined ? undefined : sub(additionalProperties);

  return (value, run, path, seen) => {
    if (!isRecord(value)) return true;
    const names = keysOf(value, run);
    // Noting a name takes longer than most checks of its value.
    if (seen) spend(run, 3 * names.length);
    return allFit(run, names, (name) => {
      const partOf = (check: Check) => check(value[name], run, partPath(run, path, name), undefined);
      const own = named.get(name);
      let covered = own !== undefined;
      let fits = own === undefined || partOf(own);
      for (const [test, check] of patterned) {
        const matches = test(name, run);
        if (matches === false) continue;
        // A pattern that cannot be checked may cover any name, so the name is not surely additional.
        covered = true;
        if (matches && !partOf(check)) fits = false;
      }
      if (covered || additional) seen?.properties.add(name);
      if (covered || !additional) return fits;
      if (additionalProperties !== false) return partOf(additional);
      const expected = () => describeUnknownName(name, named.keys());
      return report(run, { path: partPath(run, path, name), value: value[name], expected });
    });
  };
};

const propertyNames: Rule = ({ propertyNames: given }, sub) => {
  const check = sub(given);
  return (value, run, path) => {
    if (!isRecord(value)) return true;
    return allFit(run, keysOf(value, run), (name) => {
      const { fits, failures } = onTheSide(run, () => check(name, run, path, undefined));
      const expected = () => `a property name that is ${failures[0]?.expected() ?? describeSchema(given)}`;
      return fits || report(run, { path: partPath(run, path, name), value: name, expected });
    });
  };
};

/** dependentRequired and dependentSchemas; draft-07 has both as `dependencies`. */
const dependents: Rule = ({ dependentRequired, dependentSchemas, dependencies, properties: named }, sub) => {
  const checks = [dependentRequired, dependentSchemas, dependencies]
    .flatMap(entriesOf)
    .map(([name, part]): [string, Check] => [
      name,
      Array.isArray(part) ? needs(part, named, `required together with ${JSON.stringify(name)}`) : sub(part),
    ]);
  return (value, run, path, seen) => {
    if (!isRecord(value)) return true;
    spend(run, checks.length);
    return allFit(
      run,
      checks,
      ([name, check]) => !Object.hasOwn(value, name) || check(value, run, path, seen),
    );
  };
};

function entriesOf(part: unknown): [string, unknown][] {
  return isRecord(part) ? Object.entries(part) : [];
}

/** Rules for objects, by the keyword that asks for them. */
export const OBJECT_RULES: Readonly<Record<string, Rule>> = {
  required,
  minProperties,
  maxProperties,
  properties,
  patternProperties: properties,
  additionalProperties: properties,
  propertyNames,
  dependentRequired: dependents,
  dependentSchemas: dependents,
  dependencies: dependents,
};
