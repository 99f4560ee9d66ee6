import type { Check, Rule } from "./rule.ts";
import { report } from "./run.ts";

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

const multipleOf: Rule = ({ multipleOf: step }) =>
  typeof step === "number" && step > 0 ? bound("a multiple of", step, isMultiple) : undefined;

/** Decimals such as 0.07 and 0.01 have no exact binary form, so they are divided as they are written. */
function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  const [digits, exponent] = decimal(value);
  const [stepDigits, stepExponent] = decimal(step);
  const least = Math.min(exponent, stepExponent);
  return (
    (digits * 10n ** BigInt(exponent - least)) % (stepDigits * 10n ** BigInt(stepExponent - least)) === 0n
  );
}

/** A number as whole digits and a power of ten. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** Rules for numbers, by the keyword that asks for them. */
export const NUMBER_RULES: Readonly<Record<string, Rule>> = {
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
};
