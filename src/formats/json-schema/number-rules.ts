import { type Rule, report } from "./run.ts";

function bound(expected: string, limit: unknown, fits: (value: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  return ((value, run, path) =>
    typeof value !== "number" ||
    fits(value, limit) ||
    report(run, path, `${expected} ${limit}`, `number ${value}`)) satisfies ReturnType<Rule>;
}

// Draft-04 says `exclusiveMinimum: true` beside `minimum`.
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
  bound("a multiple of", step, (value, divisor) => {
    const quotient = value / divisor;
    // Decimal steps such as 0.01 have no exact binary form.
    return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) < 1e-9;
  });

/** Rules for numbers. */
export const NUMBER_RULES: readonly Rule[] = [
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
];
