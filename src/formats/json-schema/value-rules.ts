import { isRecord } from "../../core/index.ts";
import { describeChoices, describeSchema } from "./describe.ts";
import type { Check, Rule } from "./rule.ts";
import { type Run, report } from "./run.ts";
import { isCompound, keyOf } from "./same.ts";

type Test = (value: unknown) => boolean;

const TYPES: ReadonlyMap<unknown, Test> = new Map<string, Test>([
  ["null", (value) => value === null],
  ["boolean", (value) => typeof value === "boolean"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["string", (value) => typeof value === "string"],
  ["array", (value) => Array.isArray(value)],
  ["object", isRecord],
]);

const type: Rule = (schema) => {
  const names = [schema.type].flat();
  const tests = names.flatMap((name) => TYPES.get(name) ?? []);
  // A type that no draft knows ("any", "file") says nothing about the value.
  if (tests.length < names.length || tests.length === 0) return passOver;
  const [only] = tests;
  const fits = tests.length === 1 && only ? only : (value: unknown) => tests.some((test) => test(value));
  const expected = () => describeSchema(schema);
  return (value, run, path) => fits(value) || report(run, { path, value, expected });
};

const passOver: Check = (_value, run) => {
  run.passedOver++;
  return true;
};

const enumeration: Rule = ({ enum: choices }) => (Array.isArray(choices) ? oneOfThese(choices) : undefined);

const constant: Rule = (schema) => oneOfThese([schema.const]);

function oneOfThese(choices: readonly unknown[]): Check {
  const plain = keysWhenNeeded(choices.filter((choice) => !isCompound(choice)));
  const compound = keysWhenNeeded(choices.filter(isCompound));
  const expected = () => describeChoices(choices);
  return (value, run, path) => {
    const keys = isCompound(value) ? compound(run) : plain(run);
    return (keys.size > 0 && keys.has(keyOf(value, run))) || report(run, { path, value, expected, choices });
  };
}

function keysWhenNeeded(choices: readonly unknown[]): (run: Run) => ReadonlySet<unknown> {
  let keys: ReadonlySet<unknown> | undefined;
  return (run) => {
    keys ??= new Set(choices.map((choice) => keyOf(choice, run)));
    return keys;
  };
}

/** Rules for values of any type, by the keyword that asks for them. */
export const VALUE_RULES: Readonly<Record<string, Rule>> = { type, enum: enumeration, const: constant };
