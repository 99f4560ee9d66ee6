import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonSchema } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

/** The problems as a caller reads them. */
function problems(schema: JsonSchema, value: unknown): string[] {
  return createSchemaValidator()
    .check(schema, value)
    .map(({ path, expected, actual }) => `${path}: expected ${expected}, got ${actual}`);
}

const ISSUE = {
  type: "object",
  properties: {
    title: { type: "string", minLength: 1, maxLength: 5 },
    state: { enum: ["open", "closed"] },
    labels: { type: "array", items: { type: "string" }, uniqueItems: true },
    priority: { type: "integer", minimum: 1, maximum: 5 },
  },
  required: ["title"],
  additionalProperties: false,
};

describe("a validation problem has the path, the expected and the actual value", () => {
  const cases: Readonly<Record<string, [value: unknown, ...problems: string[]]>> = {
    "something required is missing": [{}, "/title: expected string (required), got nothing"],
    "the type is another one": [
      { title: 5, labels: { a: 1, b: 2 } },
      "/title: expected string, got number 5",
      "/labels: expected array of string, got object {a, b}",
    ],
    "the whole input has another type": [[1], ": expected object {title}, got array of 1 item"],
    "a value is not in the list": [
      { title: "a", state: "opened" },
      '/state: expected one of "open", "closed", got "opened"',
    ],
    "a property is mistyped": [
      { title: "a", lables: [] },
      '/lables: expected no property of this name (did you mean "labels"?), got array of 0 items',
    ],
    "a property is unknown": [
      { title: "a", assignee: null },
      "/assignee: expected no property of this name (known are {title, state, labels, priority}), got null",
    ],
    "a number is out of its bounds": [
      { title: "a", priority: 7 },
      "/priority: expected at most 5, got number 7",
    ],
    "a text is too long or too short": [
      { title: "abcdef" },
      '/title: expected at most 5 characters, got "abcdef"',
    ],
    "an item occurs twice": [
      { title: "a", labels: ["x", "y", "x"] },
      '/labels/2: expected an item that differs from item 0, got "x"',
    ],
    "several things are wrong at once": [
      { title: "", priority: 1.5 },
      '/title: expected at least 1 characters, got ""',
      "/priority: expected integer, got number 1.5",
    ],
  };
  for (const [title, [value, ...expected]] of Object.entries(cases)) {
    test(title, () => assert.deepEqual(problems(ISSUE, value), expected));
  }
});

test("other keywords have their words, too", () => {
  const cases: readonly [schema: JsonSchema, value: unknown, problem: string][] = [
    [false, 1, ": expected no value here, got number 1"],
    [{ properties: { a: false } }, { a: "x" }, '/a: expected no value here, got "x"'],
    [{ const: { a: 1 } }, {}, ': expected {"a":1}, got object {}'],
    [{ pattern: "^a" }, "b", ': expected a text that matches ^a, got "b"'],
    [{ multipleOf: 0.5 }, 0.7, ": expected a multiple of 0.5, got number 0.7"],
    [{ minItems: 2 }, [true], ": expected at least 2 items, got array of 1 item"],
    [
      { contains: { type: "null" } },
      [1],
      ": expected at least 1 items that are null (there are 0), got array of 1 item",
    ],
    [
      { contains: true, maxContains: 1 },
      [1, 2],
      ": expected 1 to 1 items that are anything (there are 2), got array of 2 items",
    ],
    [{ maxProperties: 1 }, { a: 1, b: 1 }, ": expected at most 1 properties, got object {a, b}"],
    [{ additionalProperties: false }, { a: 1 }, "/a: expected no properties here, got number 1"],
    [{ unevaluatedProperties: false }, { a: true }, "/a: expected no value here, got boolean true"],
    [
      { propertyNames: { pattern: "^[a-z]+$" } },
      { A: 1 },
      '/A: expected a property name that is a text that matches ^[a-z]+$, got "A"',
    ],
    [{ required: ["a"] }, {}, "/a: expected a value (required), got nothing"],
    [
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      '/b: expected a value (required together with "a"), got nothing',
    ],
    [{ not: { required: ["a"] } }, { a: 1 }, ': expected anything but {"required":["a"]}, got object {a}'],
    [
      { oneOf: [{ type: "number" }, { title: "any" }] },
      1,
      ": expected only one of number and any, not both, got number 1",
    ],
  ];
  for (const [schema, value, problem] of cases) assert.deepEqual(problems(schema, value), [problem]);
});

test("a path is a JSON pointer with ~ and / escaped", () => {
  const schema = { properties: { "a/b~c": { items: { properties: { "": { type: "string" } } } } } };
  assert.deepEqual(problems(schema, { "a/b~c": [{ "": "x" }, { "": 1 }] }), [
    "/a~1b~0c/1/: expected string, got number 1",
  ]);
});

describe("of several alternatives, the one that was probably meant is explained", () => {
  const CIRCLE = {
    type: "object",
    properties: { kind: { const: "circle" }, radius: { type: "number" } },
    required: ["kind", "radius"],
  };
  const SQUARE = {
    type: "object",
    properties: { kind: { const: "square" }, side: { type: "number" } },
    required: ["kind", "side"],
  };
  const SHAPES = {
    $defs: { CIRCLE, SQUARE },
    oneOf: [{ $ref: "#/$defs/CIRCLE" }, { $ref: "#/$defs/SQUARE" }],
  };

  test("the only alternative of the right type is explained", () => {
    const schema = { anyOf: [{ type: "null" }, { type: "object", properties: { id: { type: "number" } } }] };
    assert.deepEqual(problems(schema, { id: "5" }), ['/id: expected number, got "5"']);
  });

  test("the alternative with the right fixed values is explained, even if another has as few problems", () => {
    assert.deepEqual(problems(SHAPES, { kind: "square", side: "1" }), ['/side: expected number, got "1"']);
    assert.deepEqual(problems(SHAPES, { kind: "square", radius: 1 }), [
      "/side: expected number (required), got nothing",
    ]);
  });

  test("if no alternative has the right fixed value, all fixed values are listed", () => {
    assert.deepEqual(problems(SHAPES, { kind: "circel", radius: 1 }), [
      '/kind: expected one of "circle", "square", got "circel"',
    ]);
  });

  test("the alternative with the fewest problems is explained", () => {
    const schema = { anyOf: [{ required: ["a", "b"] }, { required: ["c"] }] };
    assert.deepEqual(problems(schema, {}), ["/c: expected a value (required), got nothing"]);
  });

  test("if no alternative is clearly best, all are listed by type, name or content", () => {
    assert.deepEqual(problems({ anyOf: [{ type: "string" }, { type: "null" }, { enum: [1, 2] }] }, true), [
      ": expected string or null or one of 1, 2, got boolean true",
    ]);
    assert.deepEqual(problems(SHAPES, 5), [": expected CIRCLE or SQUARE, got number 5"]);
    assert.deepEqual(problems({ anyOf: [{ required: ["a"] }, { type: "object", required: ["b"] }] }, {}), [
      ': expected {"required":["a"]} or object {b}, got object {}',
    ]);
  });
});

test("texts stay short, whatever is in the schema or the value", () => {
  const long = "x".repeat(10_000);
  const many = Array.from({ length: 100 }, (_, index) => `${long}${index}`);
  const cases: readonly [JsonSchema, unknown][] = [
    [{ enum: [...many, { [long]: many }, [many]] }, long],
    [{ type: "object", required: many, properties: { [long]: { title: long } } }, 1],
    [
      { additionalProperties: false, properties: Object.fromEntries(many.map((name) => [name, true])) },
      { [long]: 1 },
    ],
    [{ pattern: `^${long.slice(0, 3_000)}$` }, "y"],
    [{ anyOf: many.map((title) => ({ title, not: {} })) }, { [long]: 1 }],
    [{ not: { description: long } }, Object.fromEntries(many.map((name) => [name, 1]))],
  ];
  for (const [schema, value] of cases) {
    const found = createSchemaValidator().check(schema, value);
    assert.ok(found.length > 0);
    for (const problem of found) assert.ok(JSON.stringify(problem).length < 1_500, JSON.stringify(problem));
  }
});

test("a problem that is found in several ways is told once, and no more than twenty are", () => {
  const schema = { $defs: { a: { type: "string" } }, allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] };
  assert.equal(problems(schema, 1).length, 1);
  assert.equal(problems({ items: { type: "string" } }, Array(100).fill(1)).length, 20);
});
