import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { scaled } from "../../../test/support/scale.ts";
import type { JsonSchema } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

const RUNS = scaled(600, 3_000);

/** A linter takes objects with a `then` for promises. */
const THEN = "then";

/** Few names, numbers and texts, so that schemas and values meet. */
const NAMES = ["a", "b", "c"];
const NUMBERS = [-1, 0, 1, 2, 3, 1.5, 10];
const TEXTS = ["", "a", "b", "ab", "aab", "💩", "1"];
const PATTERNS = ["^a", "b$", "^.$", "[0-9]", "a+b"];

const name = fc.constantFrom(...NAMES);
const scalar = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...TEXTS),
  fc.constantFrom(true, false, null),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    record(tie("value")),
  ),
}));

const count = fc.nat(3);

const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const sub = tie("schema");
  const some = fc.array(sub, { minLength: 1, maxLength: 3 });
  const byName = record(sub);
  // Each group is drawn as a whole, since keywords on their own seldom meet a value that they speak about.
  const groups = [
    fc.record({ type: fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object") }),
    fc.record({
      type: fc.uniqueArray(fc.constantFrom("null", "number", "string", "object"), { minLength: 1 }),
    }),
    fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, comparator: sameText }) }),
    fc.record({ const: value }),
    partly({ minimum: number(), maximum: number(), exclusiveMinimum: number(), exclusiveMaximum: number() }),
    // Ajv divides in binary, so only whole steps give the same answer.
    fc.record({ multipleOf: fc.constantFrom(1, 2, 3) }),
    partly({ minLength: count, maxLength: count, pattern: fc.constantFrom(...PATTERNS) }),
    partly({ minItems: count, maxItems: count, uniqueItems: fc.boolean() }),
    partly({ prefixItems: some, items: sub, unevaluatedItems: sub }),
    partly({ contains: sub, minContains: count, maxContains: count }),
    partly({ minProperties: count, maxProperties: count, required: fc.uniqueArray(name, { maxLength: 2 }) }),
    partly({ properties: byName, patternProperties: byPattern(sub), additionalProperties: sub }),
    partly({ properties: byName, unevaluatedProperties: sub, propertyNames: sub }),
    partly({ dependentRequired: record(fc.uniqueArray(name, { maxLength: 2 })), dependentSchemas: byName }),
    partly({ allOf: some, anyOf: some, oneOf: some, not: sub }),
    partly({ if: sub, [THEN]: sub, else: sub }),
    fc.record({ $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#c") }),
  ];
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.array(fc.oneof(...groups), { minLength: 1, maxLength: 3 }).map(together),
    ),
  };
});

/** Definitions without references of their own: a schema that contains itself is a case for other tests. */
const leaf = fc.constantFrom<JsonSchema>(
  { type: "string", minLength: 1 },
  { properties: { a: { type: "number" } }, required: ["a"] },
  { prefixItems: [{ type: "number" }] },
  { enum: [1, "a", { a: 1 }, []] },
  true,
  false,
);
const $defs = fc.record({ a: leaf, b: leaf, c: fc.constant({ $anchor: "c", type: ["object", "number"] }) });

test("random schemas and values get the verdict that Ajv gives", () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, validateFormats: false, logger: false });
  const verdicts = { true: 0, false: 0 };
  const agree = (part: JsonSchema, definitions: object, values: readonly unknown[]) => {
    fc.pre(!isBeyondAjv(JSON.stringify(part)));
    const whole = { $defs: definitions, allOf: [part] };
    const theirs = ajv.compile(whole);
    const ours = createSchemaValidator();
    for (const one of values) {
      const fits = verdictOf(theirs, one);
      if (fits === undefined) continue;
      assert.equal(ours.check(whole, one).length === 0, fits, JSON.stringify({ whole, value: one, fits }));
      verdicts[`${fits}`]++;
    }
    ajv.removeSchema();
  };
  const values = fc.array(value, { minLength: 8, maxLength: 8 });
  fc.assert(fc.property(schema, $defs, values, agree), { numRuns: RUNS });
  assert.ok(
    Math.min(verdicts.true, verdicts.false) > RUNS / 3,
    "there are too few of one verdict to learn from",
  );
});

/** The unevaluated keywords of Ajv are wrong if they depend on contains, if or dependentSchemas. */
function isBeyondAjv(text: string): boolean {
  return text.includes('"unevaluated') && /"(?:contains|if|dependentSchemas)"/.test(text);
}

/** Undefined if Ajv fails: its generated code for unevaluated keywords does not always run. */
function verdictOf(theirs: (value: unknown) => unknown, one: unknown): boolean | undefined {
  try {
    return theirs(one) === true;
  } catch {
    return undefined;
  }
}

function together(groups: readonly object[]): JsonSchema {
  const { contains, ...others } = Object.assign({}, ...groups);
  // With prefixItems, Ajv accepts an empty array whatever contains says.
  return contains === undefined || "prefixItems" in others ? others : { ...others, contains };
}

function number(): fc.Arbitrary<number> {
  return fc.constantFrom(...NUMBERS);
}

/** Any of the fields, but at least one. */
function partly(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [] }).filter((drawn) => Object.keys(drawn).length > 0);
}

function record<Part>(part: fc.Arbitrary<Part>): fc.Arbitrary<Record<string, Part>> {
  return fc.dictionary(name, part, { maxKeys: 3, noNullPrototype: true });
}

function byPattern<Part>(part: fc.Arbitrary<Part>): fc.Arbitrary<Record<string, Part>> {
  return fc.dictionary(fc.constantFrom(...PATTERNS), part, { maxKeys: 2, noNullPrototype: true });
}

function sameText(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
