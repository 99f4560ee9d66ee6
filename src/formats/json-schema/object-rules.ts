import { isRecord, nearest } from "../../core/index.ts";
import { describeSchema, describeValue } from "./describe.ts";
import { compilePattern } from "./pattern.ts";
import { type Check, partPath, type Rule, report, spend } from "./run.ts";

function sizeRule(limit: unknown, expected: string, fits: (size: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  return ((value, run, path) => {
    if (!isRecord(value)) return true;
    const size = Object.keys(value).length;
    return fits(size, limit) || report(run, path, `${expected} ${limit} properties`, `${size}`);
  }) satisfies Check;
}

const minProperties: Rule = ({ minProperties: limit }) =>
  sizeRule(limit, "at least", (size, least) => size >= least);

const maxProperties: Rule = ({ maxProperties: limit }) =>
  sizeRule(limit, "at most", (size, most) => size <= most);

const required: Rule = ({ required: given, properties }) => {
  const names = Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
  if (names.length === 0) return undefined;
  return (value, run, path) => {
    if (!isRecord(value)) return true;
    let fits = true;
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue;
      fits = false;
      if (!run.problems) return false;
      const schema = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : true;
      report(run, partPath(run, path, name), `${describeSchema(schema)} (required)`, "nothing");
    }
    return fits;
  };
};

/** properties, patternProperties and additionalProperties are one rule: the last depends on the others. */
const properties: Rule = (schema, sub) => {
  const { properties: given, patternProperties, additionalProperties } = schema;
  const named = new Map(
    Object.entries(isRecord(given) ? given : {}).map(([name, part]) => [name, sub(part)]),
  );
  const patterned = Object.entries(isRecord(patternProperties) ? patternProperties : {}).map(
    ([source, part]) => [compilePattern(source), sub(part)] as const,
  );
  const rest = additionalProperties === undefined ? undefined : sub(additionalProperties);
  if (named.size === 0 && patterned.length === 0 && !rest) return undefined;
  // A pattern that cannot be checked may cover any name, so no name is surely additional.
  const isClosed = additionalProperties === false && patterned.every(([test]) => test);

  return (value, run, path, seen) => {
    if (!isRecord(value)) return true;
    let fits = true;
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      spend(run, 1);
      const checks = matching(name);
      if (checks.length === 0) {
        if (isClosed) {
          fits = report(
            run,
            partPath(run, path, name),
            unknownName(name, named.keys()),
            describeValue(value[name]),
          );
          if (!run.problems) return false;
        } else if (rest) checks.push(rest);
        else continue;
      }
      seen?.properties.add(name);
      for (const check of checks) {
        if (check(value[name], run, partPath(run, path, name), undefined)) continue;
        fits = false;
        if (!run.problems) return false;
      }
    }
    return fits;
  };

  function matching(name: string): Check[] {
    const own = named.get(name);
    const checks = own ? [own] : [];
    for (const [test, check] of patterned) if (test?.(name)) checks.push(check);
    return checks;
  }
};

function unknownName(name: string, known: Iterable<string>): string {
  const names = [...known];
  const [close] = nearest(name, names, 1);
  if (close) return `no such property; did you mean ${JSON.stringify(close)}?`;
  return names.length > 0 ? `no such property; known are ${names.slice(0, 12).join(", ")}` : "no properties";
}

const propertyNames: Rule = ({ propertyNames: given }, sub) => {
  if (given === undefined) return undefined;
  const check = sub(given);
  return (value, run, path) => {
    if (!isRecord(value)) return true;
    return Object.keys(value).every((name) => check(name, run, partPath(run, path, name), undefined));
  };
};

/** dependentRequired and dependentSchemas; draft-07 has both as `dependencies`. */
const dependents: Rule = ({ dependentRequired, dependentSchemas, dependencies }, sub) => {
  const given = [dependentRequired, dependentSchemas, dependencies].flatMap((part) =>
    isRecord(part) ? Object.entries(part) : [],
  );
  if (given.length === 0) return undefined;
  const checks = given.map(([name, needs]): [string, Check] => [
    name,
    Array.isArray(needs) ? sub({ required: needs }) : sub(needs),
  ]);
  return (value, run, path, seen) => {
    if (!isRecord(value)) return true;
    return checks.every(([name, check]) => !Object.hasOwn(value, name) || check(value, run, path, seen));
  };
};

/** Rules for objects. */
export const OBJECT_RULES: readonly Rule[] = [
  required,
  minProperties,
  maxProperties,
  properties,
  propertyNames,
  dependents,
];
