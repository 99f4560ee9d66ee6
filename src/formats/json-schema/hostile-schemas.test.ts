import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonSchema, SchemaUnusable, ValueTooComplex } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

/** Far more than any case takes, and far less than a hang; time of the processor, so that a busy machine does not matter. */
const LIMIT_MS = 2_000;

type Verdict = "fits" | "fails" | "unusable";

/** The verdict of a new validator; fails if it takes long or throws anything but SchemaUnusable. */
function judge(schema: unknown, value: unknown): Verdict {
  const start = process.cpuUsage();
  try {
    return createSchemaValidator().check(schema as JsonSchema, value).length === 0 ? "fits" : "fails";
  } catch (error) {
    if (error instanceof SchemaUnusable) return "unusable";
    throw error;
  } finally {
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1000;
    assert.ok(took < LIMIT_MS, `it took ${Math.round(took)} ms`);
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const named = (count: number, part: (index: number) => unknown) =>
  Object.fromEntries(numbers(count).map((index) => [`name${index}`, part(index)]));
const nested = (levels: number, wrap: (inner: unknown) => unknown) =>
  numbers(levels).reduce<unknown>((inner) => wrap(inner), "core");

/** A schema of thirty small parts that applies another one a thousand million times. */
const doubling = (leaf: unknown, combine = "allOf") => ({
  $ref: "#/$defs/name0",
  $defs: {
    ...named(30, (index) => ({ [combine]: Array(2).fill({ $ref: `#/$defs/name${index + 1}` }) })),
    name30: leaf,
  },
});

describe("a schema that would run for ever is unusable", () => {
  test("a schema that is only a reference to itself is unusable", () => {
    assert.equal(judge({ $ref: "#" }, 1), "unusable");
    assert.equal(judge({ anyOf: [{ not: { $ref: "#" } }] }, 1), "unusable");
    const mutual = {
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
    };
    assert.equal(judge(mutual, 1), "unusable");
    assert.equal(judge({ $dynamicAnchor: "a", $dynamicRef: "#a" }, 1), "unusable");
  });

  test("a schema whose parts double from level to level is unusable", () => {
    assert.equal(judge(doubling({ type: "string" }), "a"), "unusable");
    assert.equal(judge(doubling({ type: "string" }, "anyOf"), 1), "unusable");
  });

  test("a schema whose alternatives double with each level of the value is unusable", () => {
    const node = { anyOf: [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/node" }] };
    const schema = { $ref: "#/$defs/node", $defs: { node: { type: "object", properties: { a: node } } } };
    assert.equal(
      judge(
        schema,
        nested(100, (a) => ({ a })),
      ),
      "unusable",
    );
  });

  test("a schema whose every step is expensive is unusable", () => {
    const text = "x".repeat(1_000_000);
    const manyProperties = named(50_000, () => 1);
    const manyItems = numbers(50_000);
    const leaves: readonly [leaf: unknown, value: unknown][] = [
      [{ minLength: 5 }, text],
      [{ minLength: 600_000 }, text],
      [{ maxLength: 1_000_000 }, text],
      [{ const: text }, "x".repeat(1_000_000)],
      [{ uniqueItems: true }, [{ text }]],
      [{ enum: [{ a: manyItems }] }, { a: manyItems }],
      [{ minProperties: 1 }, manyProperties],
      [{ required: Object.keys(manyProperties) }, manyProperties],
      [{ propertyNames: true }, manyProperties],
      [{ dependentRequired: named(50_000, () => ["a"]) }, {}],
      [{ contains: true, minContains: 0 }, manyItems],
      [{ items: true }, manyItems],
      [{ unevaluatedItems: true }, manyItems],
      [{ allOf: Array(50_000).fill(true) }, 1],
    ];
    for (const [leaf, value] of leaves) {
      assert.equal(judge(doubling(leaf), value), "unusable", JSON.stringify(leaf).slice(0, 50));
    }
  });

  test("a schema that searches anchors in ever more enclosing schemas is unusable", () => {
    const chain = named(300, (index) => ({ $id: `https://example.test/${index}`, $ref: `${index + 1}` }));
    const leaf = { ...doubling({ $dynamicRef: "#here" }), $id: "https://example.test/300" };
    const $defs = { ...chain, leaf, here: { $dynamicAnchor: "here" } };
    assert.equal(judge({ $ref: "https://example.test/0", $defs }, 1), "unusable");
  });
});

describe("a value that takes too long to check is too complex, whatever the schema says", () => {
  const node = { $ref: "#/$defs/node" };
  const tooComplex = (schema: object, value: unknown) => {
    const start = process.threadCpuUsage();
    assert.throws(() => createSchemaValidator().check(schema as JsonSchema, value), ValueTooComplex);
    const { user, system } = process.threadCpuUsage(start);
    assert.ok(user + system < 500_000, `it took ${(user + system) / 1000} ms`);
  };

  test("a value with alternatives at every level is too complex", () => {
    const a = { anyOf: [node, { ...node, title: "again" }] };
    tooComplex(
      { ...node, $defs: { node: { type: "object", properties: { a } } } },
      nested(55, (inner) => ({ a: inner })),
    );
  });

  test("a value of numbers with hundreds of digits to divide is too complex", () => {
    const value = numbers(100_000).map(() => 1.7e308);
    tooComplex({ items: { multipleOf: 1e-300 } }, value);
  });

  test("a value whose parts are all compared with each other is too complex", () => {
    tooComplex(
      { ...node, $defs: { node: { uniqueItems: true, items: node } } },
      nested(300, (inner) => [inner, ...numbers(100)]),
    );
  });
});

test("problems of a large value are explained with the remaining steps", () => {
  const value = Object.fromEntries(numbers(70_000).map((at) => [`key${at}`, 1]));
  const start = process.threadCpuUsage();
  const [problem] = createSchemaValidator().check(
    { additionalProperties: false, properties: { a: true } },
    value,
  );
  const { user, system } = process.threadCpuUsage(start);
  assert.ok(problem);
  assert.ok(user + system < 500_000, `it took ${(user + system) / 1000} ms`);
});

test("a value that does not fit is refused, even if it takes too long to find all that is wrong", () => {
  const { $ref, $defs } = doubling(true);
  const { check } = createSchemaValidator();
  assert.deepEqual(check({ $defs, allOf: [{ type: "string" }, { $ref }] }, 1), [
    { path: "", expected: "string", actual: "number 1" },
  ]);
  assert.deepEqual(check({ $defs, title: "name", anyOf: [{ allOf: [{ type: "string" }, { $ref }] }] }, 1), [
    { path: "", expected: "name", actual: "number 1" },
  ]);
});

describe("a schema or a value of unusual size gets its answer", () => {
  test("a schema of five megabytes gets its answer", () => {
    const schema = {
      type: "object",
      properties: named(40_000, () => ({ type: "string", description: "x".repeat(100) })),
    };
    assert.equal(judge(schema, { name7: "a" }), "fits");
    assert.equal(judge(schema, { name7: 1 }), "fails");
    assert.equal(judge({ ...schema, $ref: "#somewhere" }, { name7: 1 }), "fails");
  });

  test("a value of millions of tiny parts gets its answer", () => {
    const allOf = numbers(1_000_000).map(() => ({}));
    assert.equal(judge({ allOf }, 1), "unusable");
    assert.equal(judge({ $ref: "#anchor", $defs: { a: { allOf } } }, 1), "unusable");
    assert.equal(judge({ $ref: "#/$defs/b", $defs: { a: { allOf }, b: { type: "string" } } }, 1), "fails");
  });

  test("a schema with thousands of choices gets its answer", () => {
    assert.equal(judge({ enum: numbers(100_000) }, 99_999), "fits");
    assert.equal(judge({ enum: numbers(100_000) }, -1), "fails");
    const objects = numbers(50_000).map((id) => ({ id }));
    assert.equal(judge({ enum: objects }, { id: 49_999 }), "fits");
    assert.equal(judge({ enum: objects }, { id: -1 }), "fails");
  });

  test("twenty thousand items, equal or not, get their answer", () => {
    const items = numbers(20_000).map((id) => ({ id, name: "name", tags: ["a", "b"] }));
    assert.equal(judge({ uniqueItems: true }, items), "fits");
    assert.equal(
      judge({ uniqueItems: true }, [...items, { tags: ["a", "b"], name: "name", id: 5 }]),
      "fails",
    );
  });

  test("fifty thousand decimals that are to be multiples of another get their answer", () => {
    const prices = numbers(50_000).map((at) => at / 100);
    assert.equal(judge({ items: { multipleOf: 0.01 } }, prices), "fits");
    assert.equal(judge({ items: { multipleOf: 0.01 } }, [...prices, 0.075]), "fails");
  });

  test("thousands of mistyped names among thousands of known ones get their answer", () => {
    const schema = { additionalProperties: false, properties: named(10_000, () => true) };
    assert.equal(
      judge(schema, Object.fromEntries(numbers(10_000).map((index) => [`nane${index}`, 1]))),
      "fails",
    );
  });
});

describe("nesting of a hundred thousand levels does not overflow the stack", () => {
  const deep = nested(100_000, (a) => ({ a }));

  test("deep nesting in a value that the schema does not follow does not overflow the stack", () => {
    assert.equal(judge({ properties: { a: { type: "object" } } }, deep), "fits");
    assert.equal(judge({ properties: { a: { type: "string" } } }, deep), "fails");
  });

  test("deep nesting in a value that the schema follows or compares does not overflow the stack", () => {
    assert.equal(judge({ additionalProperties: { $ref: "#" } }, deep), "unusable");
    assert.equal(
      judge(
        { const: deep },
        nested(100_000, (a) => ({ a })),
      ),
      "unusable",
    );
    assert.equal(judge({ uniqueItems: true }, [deep, deep]), "unusable");
    assert.equal(judge({ const: deep }, 1), "fails");
    assert.equal(judge({ not: { const: deep } }, 1), "fits");
  });

  test("deep nesting in a schema does not overflow the stack", () => {
    assert.equal(
      judge(
        nested(100_000, (a) => ({ properties: { a } })),
        deep,
      ),
      "unusable",
    );
    assert.equal(
      judge(
        nested(100_000, (not) => ({ not })),
        1,
      ),
      "unusable",
    );
    assert.equal(judge({ $ref: "#anchor", not: nested(100_000, (not) => ({ not })) }, 1), "unusable");
    assert.equal(judge({ type: nested(100_000, (type) => [type]) }, 1), "fits");
    assert.equal(judge({ type: "string", description: deep }, 1), "fails");
  });
});
