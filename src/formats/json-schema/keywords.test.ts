import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

/** A linter takes objects with a `then` for promises. */
const THEN = "then";

const LONG = "long".repeat(10_000);

/** A schema, values that fit it, and values that do not. */
type Row = readonly [schema: JsonSchema, fitting: readonly unknown[], failing: readonly unknown[]];

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  "true and {} accept anything, false accepts nothing": [
    [true, [null, 1, "a", [], {}], []],
    [{}, [null, 1, "a", [], {}], []],
    [false, [], [null, 1, "a", [], {}]],
    [{ properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
  ],
  "type tells the seven types apart; an integer may be written as 1.0": [
    [{ type: "null" }, [null], [false, 0, "", [], {}]],
    [{ type: "boolean" }, [true, false], [0, "true", null]],
    [{ type: "number" }, [0, -1.5, 1e300], ["1", null, true]],
    [{ type: "integer" }, [0, -3, 1.0, 1e300], [1.5, "1", null]],
    [{ type: "string" }, ["", "a"], [1, null, ["a"]]],
    [{ type: "array" }, [[], [1]], [{}, "[]", null]],
    [{ type: "object" }, [{}, { length: 0 }], [[], null, "{}"]],
    [{ type: ["string", "null"] }, ["a", null], [1, [], {}]],
  ],
  "a type that no draft knows says nothing": [
    [{ type: "any" }, [1, "a", null, {}], []],
    [{ type: ["string", "file"] }, [1, "a"], []],
    [{ type: [] }, [1], []],
    [{ type: 7 }, [1], []],
    [{ type: "any", minimum: 2 }, [2, "a"], [1]],
  ],
  "enum and const compare by structure, whatever the order of properties": [
    [{ enum: ["a", 1, null] }, ["a", 1, 1.0, null], ["b", "1", true, undefined]],
    [{ const: { a: [1, { b: 2, c: 3 }] } }, [{ a: [1, { c: 3, b: 2 }] }], [{ a: [1, { b: 2 }] }, {}, null]],
    [{ enum: [[], {}] }, [[], {}], [[[]], { a: 1 }, null, ""]],
    [{ const: 0 }, [0, -0], [false, "", null, []]],
    [{ const: null }, [null], [0, false, undefined]],
    [{ enum: [] }, [], [1, null]],
    [{ const: ["1:a"] }, [["1:a"]], [["a"], [["a"]], ["1", "a"]]],
  ],
  "numbers keep to their bounds": [
    [{ minimum: 1 }, [1, 2, "0"], [0.9, -1]],
    [{ maximum: 1 }, [1, 0, "2"], [1.1]],
    [{ exclusiveMinimum: 1 }, [1.1], [1, 0]],
    [{ exclusiveMaximum: 1 }, [0.9], [1, 2]],
    [{ minimum: 1, exclusiveMinimum: true }, [2], [1]],
    [{ maximum: 1, exclusiveMaximum: true }, [0], [1]],
    [{ minimum: "1" }, [0], []],
  ],
  "multipleOf divides decimals as they are written": [
    [{ multipleOf: 3 }, [0, 3, -9, "4"], [1, 3.5]],
    [{ multipleOf: 0.01 }, [0.07, 4.35, 1, 1e20], [0.075, 0.001]],
    [{ multipleOf: 0.0001 }, [0.0075], [0.00751]],
    [{ multipleOf: 1 }, [1e300], [1e-10, 1.0000000001]],
    [{ multipleOf: 1e-8 }, [12391239123], [1e-9]],
    [{ multipleOf: 0.123456789 }, [], [1e308]],
    [{ multipleOf: 0 }, [1], []],
  ],
  "lengths count characters, not UTF-16 units": [
    [{ minLength: 2 }, ["ab", "💩💩", 1], ["", "a", "💩"]],
    [{ maxLength: 2 }, ["ab", "💩💩", [1, 2, 3]], ["abc", "💩💩💩"]],
    [{ maxLength: 1 }, ["\ud83d", "é"], ["\ud83d\ud83d", "e\u0301"]],
  ],
  "pattern looks anywhere in the text, in characters": [
    [{ pattern: "b+" }, ["abc", "b", 1], ["a", ""]],
    [{ pattern: "^[a-z]{2,3}$" }, ["ab", "abc"], ["a", "abcd", "ab\n"]],
    [{ pattern: "^.$" }, ["💩", "a"], ["ab", "\n"]],
    [{ pattern: "^\\p{L}\\d$" }, ["é1"], ["11"]],
    [{ pattern: "^(?<year>\\d{4})/\\u0041\\x42\\.[\\]\\-]$" }, ["2020/AB.-"], ["2020/AB.x"]],
    [{ pattern: 7 }, ["a"], []],
  ],
  "format, content and other annotations check nothing": [
    [{ format: "email", contentEncoding: "base64", title: 1, default: 2, examples: 3 }, ["x", 1], []],
  ],
  "arrays are counted, and checked item by item": [
    [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], "abc"], [[], [1, 2, 3]]],
    [{ items: { type: "number" } }, [[], [1, 2]], [[1, "a"]]],
    [{ prefixItems: [{ type: "number" }] }, [[], [1, "a"]], [["a"]]],
    [{ prefixItems: [true], items: false }, [[], [1]], [[1, 2]]],
    [
      { prefixItems: [true, { type: "string" }], items: { type: "null" } },
      [[1, "a", null]],
      [
        [1, 1],
        [1, "a", 1],
      ],
    ],
  ],
  "contains counts the items that fit": [
    [{ contains: { const: 1 } }, [[1], [2, 1]], [[], [2]]],
    [
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
    [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
    [{ contains: false }, [1], [[], [1]]],
  ],
  "uniqueItems compares by structure": [
    [
      { uniqueItems: true },
      [[1, "1", true, null, [], {}], [{ a: 1 }, { a: 2 }], "aa"],
      [
        [1, 1.0],
        [[1], [1]],
      ],
    ],
    [
      { uniqueItems: true },
      [
        [{ a: 1 }, "{1:a1,}", "\0{1:a1,}", "\0'", ""],
        [LONG, `${LONG}x`, [LONG], [`${LONG}x`]],
        [["a", "b"], ["a,b"]],
      ],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [LONG, 1, LONG],
        [[LONG], 1, [LONG]],
      ],
    ],
    [{ uniqueItems: false }, [[1, 1]], []],
  ],
  "objects are counted, and their names are checked": [
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, [1, 2, 3]], [{}, { a: 1, b: 1, c: 1 }]],
    [{ required: ["a", "b"] }, [{ a: undefined, b: null }, "ab"], [{ a: 1 }, {}]],
    [{ required: ["a", 7, null] }, [{ a: 1 }], [{}]],
    [{ propertyNames: { maxLength: 2 } }, [{}, { ab: 1 }, ["abc"]], [{ abc: 1 }]],
    [{ propertyNames: false }, [{}], [{ a: 1 }]],
  ],
  "a property is covered by its name, by patterns, or by additionalProperties": [
    [{ properties: { a: { type: "number" } } }, [{ a: 1 }, { b: "x" }, []], [{ a: "x" }]],
    [
      { patternProperties: { "^n_": { type: "number" }, _b$: { minimum: 5 } } },
      [{ n_b: 5, x: 1 }],
      [{ n_b: 4 }, { n_a: "x" }],
    ],
    [{ additionalProperties: false, properties: { a: true } }, [{}, { a: 1 }], [{ b: 1 }]],
    [
      {
        additionalProperties: { type: "number" },
        properties: { a: true },
        patternProperties: { "^b": true },
      },
      [{ a: "x", b: "x", c: 1 }],
      [{ c: "x" }],
    ],
    [
      { properties: { a: { type: "number" } }, patternProperties: { a: { minimum: 5 } } },
      [{ a: 5 }],
      [{ a: 4 }, { a: "x" }],
    ],
  ],
  "a property may ask for others": [
    [{ dependentRequired: { a: ["b"] } }, [{}, { b: 1 }, { a: 1, b: 1 }, "a"], [{ a: 1 }]],
    [
      { dependentSchemas: { a: { maxProperties: 1 }, b: false } },
      [{ a: 1 }, { c: 1, d: 1 }],
      [{ a: 1, c: 1 }, { b: 1 }],
    ],
  ],
  "allOf, anyOf, oneOf and not combine schemas": [
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
    [{ anyOf: [{ type: "string" }, { minimum: 2 }] }, ["a", 2], [1]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], [1, 2]],
    [{ not: { type: "string" } }, [1], ["a"]],
    [{ anyOf: [] }, [], [1]],
  ],
  "if decides between then and else": [
    [{ if: { type: "number" }, [THEN]: { minimum: 1 }, else: { type: "null" } }, [1, null], [0, "a"]],
    [{ if: { type: "number" }, else: { type: "null" } }, [0, null], ["a"]],
    [{ [THEN]: { minimum: 1 }, else: false }, [0, "a"], []],
  ],
  "unevaluatedProperties is about what no other part of the schema has looked at": [
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, [{ a: 1 }, {}, []], [{ b: 1 }]],
    [
      {
        anyOf: [{ properties: { a: { type: "number" } }, required: ["a"] }, { properties: { b: true } }],
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }, { b: 1 }],
      [{ a: "x" }, { c: 1 }],
    ],
    [
      {
        if: { properties: { a: { const: 1 } }, required: ["a"] },
        [THEN]: { properties: { b: true } },
        unevaluatedProperties: { type: "null" },
      },
      [{ a: 1, b: 2 }, { a: null }],
      [{ a: 2 }, { a: 1, c: 1 }],
    ],
    [{ not: { properties: { a: { type: "string" } } }, unevaluatedProperties: false }, [], [{ a: 1 }]],
    [{ allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false }, [{ a: 1 }], []],
    [{ properties: { a: { unevaluatedProperties: false } } }, [{ a: {}, b: 1 }], [{ a: { b: 1 } }]],
    [
      { dependentSchemas: { a: { properties: { a: true, b: true } } }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ b: 1 }],
    ],
  ],
  "unevaluatedItems is about what no other part of the schema has looked at": [
    [{ prefixItems: [true], unevaluatedItems: false }, [[], [1], {}], [[1, 2]]],
    [
      { anyOf: [{ prefixItems: [true, { const: 2 }] }, true], unevaluatedItems: false },
      [[1, 2]],
      [
        [1, 3],
        [1, 2, 3],
      ],
    ],
    [
      { contains: { type: "number" }, unevaluatedItems: { type: "string" } },
      [["a", 1], [1]],
      [[1, null], ["a"]],
    ],
    [{ allOf: [{ items: true }], unevaluatedItems: false }, [[1, 2]], []],
  ],
};

for (const [title, rows] of Object.entries(TABLE)) {
  test(title, () => {
    const { check } = createSchemaValidator();
    for (const [schema, fitting, failing] of rows) {
      for (const value of fitting) assert.deepEqual(check(schema, value), [], say(schema, value, "fits"));
      for (const value of failing) assert.notDeepEqual(check(schema, value), [], say(schema, value, "fails"));
    }
  });
}

function say(schema: unknown, value: unknown, verdict: string): string {
  return `${JSON.stringify(value)} ${verdict} ${JSON.stringify(schema)}`;
}
