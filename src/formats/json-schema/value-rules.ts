import { isRecord } from "../../core/index.ts";
import { describeChoices, describeSchema } from "./describe.ts";
import { patternTest } from "./pattern.ts";
import type { Check, Rule } from "./rule.ts";
import { type Run, report, spend } from "./run.ts";
import { DistinctValues } from "./same.ts";

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
  const compounds = choices.filter(isCompound);
  let scalars: Set<unknown> | undefined;
  let distinct: DistinctValues | undefined;
  const expected = () => describeChoices(choices);
  return (value, run, path) => {
    let fits: boolean;
    if (isCompound(value)) {
      distinct ??= distinctOf(compounds, run);
      fits = distinct.has(value, run.budget);
    } else {
      scalars ??= scalarsOf(choices, run);
      spend(run, costOf(value));
      fits = scalars.has(value);
    }
    return fits || report(run, { path, value, expected, choices });
  };
}

function distinctOf(choices: readonly unknown[], run: Run): DistinctValues {
  const values = new DistinctValues(choices.length);
  for (const choice of choices) values.add(choice, run.budget);
  return values;
}

function scalarsOf(choices: readonly unknown[], run: Run): Set<unknown> {
  const scalars = new Set<unknown>();
  for (const choice of choices) {
    spend(run, costOf(choice));
    if (!isCompound(choice)) scalars.add(choice);
  }
  return scalars;
}

/** Steps for looking a value up; a long text is read first. */
function costOf(value: unknown): number {
  return typeof value === "string" ? 1 + value.length / 16 : 1;
}

function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function bound(words: string, limit: unknown, fits: (value: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  const expected = () => `${words} ${limit}`;
  return ((value, run, path) =>
    typeof value !== "number" ||
    fits(value, limit) ||
    report(run, { path, value, expected })) satisfies Check;
}

// Draft-04 has `exclusiveMinimum: true` next to `minimum`.
const minimum: Rule = ({ minimum: limit, exclusiveMinimum }) =>
  exclusiveMinimum === true
    ? bound("more than", limit, (value, least) => value > least)
    : bound("at least", limit, (value, least) => value >= least);

const maximum: Rule = ({ maximum: limit, exclusiveMaximum }) =>
  exclusiveMaximum === true
    ? bound("less than", limit, (value, most) => value < most)
    : bound("at most", limit, (value, most) => value <= most);

const exclusiveMinimum: Rule = ({ exclusiveMinimum: limit }) =>
  bound("more than", limit, (value, least) => value > least);

const exclusiveMaximum: Rule = ({ exclusiveMaximum: limit }) =>
  bound("less than", limit, (value, most) => value < most);

const multipleOf: Rule = ({ multipleOf: step }) => {
  if (typeof step !== "number" || step <= 0) return undefined;
  const expected = () => `a multiple of ${step}`;
  return (value, run, path) =>
    typeof value !== "number" || isMultiple(value, step, run) || report(run, { path, value, expected });
};

/** Decimals such as 0.07 and 0.01 have no exact binary form, so they are divided as they are written. */
function isMultiple(value: number, step: number, run: Run): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  spend(run, 4);
  const scale = 10 ** Math.max(placesOf(value), placesOf(step));
  const most = Math.max(Math.abs(value), step) * scale;
  if (most <= Number.MAX_SAFE_INTEGER) return Math.round(value * scale) % Math.round(step * scale) === 0;
  // Numbers of hundreds of digits.
  spend(run, 100);
  const [digits, exponent] = decimal(value);
  const [stepDigits, stepExponent] = decimal(step);
  const least = Math.min(exponent, stepExponent);
  return (
    (digits * 10n ** BigInt(exponent - least)) % (stepDigits * 10n ** BigInt(stepExponent - least)) === 0n
  );
}

/** Number of digits after the point; infinite for a number written with an exponent. */
function placesOf(value: number): number {
  const text = String(value);
  if (text.includes("e")) return Number.POSITIVE_INFINITY;
  const point = text.indexOf(".");
  return point === -1 ? 0 : text.length - point - 1;
}

/** A number as whole digits and a power of ten. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

function lengthRule(limit: unknown, words: string, fits: (length: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  const expected = () => `${words} ${limit} characters`;
  return ((value, run, path) => {
    if (typeof value !== "string") return true;
    return fits(lengthFor(value, limit, run), limit) || report(run, { path, value, expected });
  }) satisfies Check;
}

/** A length on the same side of the limit as the real one; characters are counted only if needed. */
function lengthFor(value: string, limit: number, run: Run): number {
  // A character takes one or two units.
  if (value.length <= limit) return value.length === limit ? countCharacters(value, run) : value.length;
  return value.length > 2 * limit ? value.length / 2 : countCharacters(value, run);
}

const minLength: Rule = ({ minLength: limit }) =>
  lengthRule(limit, "at least", (length, least) => length >= least);

const maxLength: Rule = ({ maxLength: limit }) =>
  lengthRule(limit, "at most", (length, most) => length <= most);

const pattern: Rule = ({ pattern: source }) => {
  if (typeof source !== "string") return undefined;
  const test = patternTest(source);
  const expected = () => `a text that matches ${source.slice(0, 100)}`;
  return (value, run, path) =>
    // A pattern that cannot be checked safely is not checked.
    typeof value !== "string" || (test(value, run) ?? true) || report(run, { path, value, expected });
};

/** JSON Schema counts code points, not UTF-16 units. */
function countCharacters(text: string, run: Run): number {
  spend(run, text.length / 8);
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) count--;
  }
  return count;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Rules for values of any type, for numbers and for strings, by the keyword that asks for them. */
export const VALUE_RULES: Readonly<Record<string, Rule>> = {
  type,
  enum: enumeration,
  const: constant,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
  minLength,
  maxLength,
  pattern,
};
