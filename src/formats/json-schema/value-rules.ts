import { isRecord, sameJson } from "../../core/index.ts";
import { describeChoices, describeValue } from "./describe.ts";
import { type Check, type Rule, report, spend } from "./run.ts";

const IS_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  string: (value) => typeof value === "string",
  array: (value) => Array.isArray(value),
  object: isRecord,
};

const type: Rule = ({ type: given }) => {
  if (typeof given !== "string" && !Array.isArray(given)) return undefined;
  const names = Array.isArray(given) ? given : [given];
  const tests = names.map((name) => (typeof name === "string" ? IS_TYPE[name] : undefined));
  // A type that no draft knows ("any", "file") says nothing about the value.
  if (tests.includes(undefined)) return undefined;
  const known = tests as ((value: unknown) => boolean)[];
  const expected = names.join(" or ");
  const [only] = known;
  const fits = known.length === 1 && only ? only : (value: unknown) => known.some((test) => test(value));
  return (value, run, path) => fits(value) || report(run, path, expected, describeValue(value));
};

const enumeration: Rule = ({ enum: values }) => {
  if (!Array.isArray(values)) return undefined;
  return oneOfValues(values);
};

const constant: Rule = (schema) => ("const" in schema ? oneOfValues([schema.const]) : undefined);

function oneOfValues(values: readonly unknown[]): Check {
  const plain = new Set(values.filter((value) => typeof value !== "object" || value === null));
  const compound = values.filter((value) => typeof value === "object" && value !== null);
  return (value, run, path) => {
    if (plain.has(value)) return true;
    if (typeof value === "object" && compound.length > 0) {
      spend(run, compound.length);
      if (compound.some((candidate) => sameJson(candidate, value))) return true;
    }
    return report(run, path, describeChoices(values), describeValue(value));
  };
}

/** Rules that hold for values of any type. */
export const VALUE_RULES: readonly Rule[] = [type, enumeration, constant];
