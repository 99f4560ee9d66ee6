import { problemOfJsonText } from "../../src/core/index.ts";
import { createSchemaValidator, type JsonSchema, SchemaUnusable } from "../../src/core.ts";
import type { HostileKind } from "./kind.ts";
import { type Random, randomOf } from "./random.ts";

/** About 1 MiB. */
const BYTES = 1_000_000;

/** Schemas that go over a value again and again, with inputs that make them: recursion, alternatives, names, patterns, equality. */
export const schemas: HostileKind = {
  name: "schemas and inputs",
  cases: 600,
  generate(seed) {
    const random = randomOf(seed);
    const [schemaName, schema] = random.pick(SCHEMAS);
    const [valueName, value] = random.pick(VALUES);
    const text = JSON.stringify(value(random));
    const problem = problemOfJsonText(text, 1_000);
    if (problem) throw new Error(`The value "${valueName}" ${problem.says}: it would never get here.`);
    // As they come from a wire, and new each time, so that nothing is at hand.
    const input: unknown = JSON.parse(text);
    const given = JSON.parse(JSON.stringify(schema)) as JsonSchema;
    return {
      title: `${schemaName} against ${valueName}`,
      bytes: text.length,
      run: () => {
        try {
          return createSchemaValidator().check(given, input).length === 0 ? "answered" : "refused";
        } catch (error) {
          if (error instanceof SchemaUnusable) return "refused";
          throw error;
        }
      },
    };
  },
};

const node = { $ref: "#/$defs/node" };
const recursive = (rule: object, leaf: object = {}) => ({
  ...node,
  $defs: { node: { ...rule, ...leaf } },
});
const everywhere = { additionalProperties: node, items: node };
const named = (count: number, part: (index: number) => unknown) =>
  Object.fromEntries(numbers(count).map((index) => [`name${index}`, part(index)]));

const SCHEMAS: readonly (readonly [name: string, schema: unknown])[] = [
  [
    "recursive anyOf",
    recursive({ anyOf: [{ type: "string" }, everywhere, { ...everywhere, required: ["z"] }] }),
  ],
  [
    "recursive anyOf that never fits",
    recursive({ properties: { a: { anyOf: [node, node] } }, additionalProperties: node, required: ["z"] }),
  ],
  [
    "recursive oneOf",
    recursive({ oneOf: [{ type: "number" }, everywhere, { ...everywhere, minItems: 1_000_000 }] }),
  ],
  ["recursive not", recursive({ not: { not: everywhere } })],
  ["recursive if", recursive({ if: everywhere, else: everywhere })],
  ["allOf of the same", recursive({ allOf: [everywhere, everywhere] })],
  [
    "unevaluated",
    recursive({
      anyOf: [everywhere, { properties: { a: true } }],
      unevaluatedProperties: node,
      unevaluatedItems: node,
    }),
  ],
  [
    "no unknown names",
    {
      additionalProperties: false,
      items: { additionalProperties: false, properties: named(500, () => true) },
      properties: named(500, () => true),
    },
  ],
  ["no names at all", { ...everywhere, $defs: { node: false } }],
  [
    "a pattern for names",
    {
      patternProperties: { "^(a|b|k)*([0-9]|e)+$": node, "y.*y.*y": false },
      additionalProperties: false,
      $defs: { node: { type: "string" } },
    },
  ],
  [
    "a pattern for everything",
    recursive(everywhere, {
      pattern: "^(x?x?x?x?x?x+)+y$",
      propertyNames: { pattern: "([a-z]+[0-9]*){3,30}!" },
    }),
  ],
  ["unique items everywhere", recursive(everywhere, { uniqueItems: true })],
  ["contains", recursive({ contains: { contains: { const: 1 } }, items: node, minContains: 0 })],
  ["a choice of many", recursive(everywhere, { enum: numbers(2_000).map((at) => ({ at })) })],
  [
    "lengths",
    recursive(everywhere, {
      minLength: 600_000,
      maxLength: 700_000,
      minProperties: 70_000,
      propertyNames: { maxLength: 4 },
    }),
  ],
  ["multiples of a fraction", recursive(everywhere, { multipleOf: 1e-300 })],
  ["required", recursive(everywhere, { required: numbers(500).map((at) => `name${at}`) })],
  [
    "dependents",
    recursive(everywhere, {
      dependentRequired: named(300, () => ["a"]),
      dependentSchemas: { key1: everywhere },
    }),
  ],
];

const VALUES: readonly (readonly [name: string, make: (random: Random) => unknown])[] = [
  ["deep nesting", ({ below }) => nest(20 + below(40), (a) => ({ a }))],
  ["deep lists", ({ below }) => nest(20 + below(60), (a) => [a, 1])],
  ["branching", ({ below }) => nest(10 + below(6), (a) => ({ a, b: a }))],
  ["many names", () => manyNames("key", "x".repeat(80))],
  ["many misspelt names", () => manyNames("nane", 1)],
  ["many names again and again", () => numbers(7).map(() => manyNames("key", 1))],
  ["long names", () => Object.fromEntries(numbers(100).map((at) => [`${"x".repeat(BYTES / 100)}${at}`, 1]))],
  ["many numbers", () => numbers(BYTES / 7)],
  ["many large numbers", () => numbers(BYTES / 8).map(() => 1.7e308)],
  ["many equal lists", () => numbers(BYTES / 20).map(() => [1, 2, 3, 4, 5])],
  ["many objects", () => numbers(BYTES / 40).map((at) => ({ id: at, a: [at], b: { c: "x" } }))],
  ["objects that differ at the end", () => numbers(500).map((at) => ({ a: "x".repeat(BYTES / 510), b: at }))],
  ["a long text", () => "x".repeat(BYTES)],
  ["long texts", () => numbers(100).map(() => "xa".repeat(BYTES / 200))],
  ["many texts", () => numbers(BYTES / 12).map((at) => `xx${at}`)],
  ["texts in pairs of units", () => ["😀".repeat(BYTES / 4)]],
];

/** As many as one JSON text may have. */
function manyNames(prefix: string, value: unknown): unknown {
  return Object.fromEntries(numbers(10_000).map((at) => [`${prefix}${at}`, value]));
}

function nest(levels: number, wrap: (inner: unknown) => unknown): unknown {
  return numbers(levels).reduce<unknown>((inner) => wrap(inner), 1);
}

function numbers(count: number): number[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => index);
}
