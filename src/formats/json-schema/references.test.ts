import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

/** A linter takes objects with a `then` for promises. */
const THEN = "then";

/** A schema, values that fit it, and values that do not. */
type Row = readonly [schema: JsonSchema, fitting: readonly unknown[], failing: readonly unknown[]];

const TREE = { type: "object", properties: { children: { items: { $ref: "#" } } }, required: ["id"] };

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  "a pointer leads to any place of the schema, and may be escaped": [
    [{ $ref: "#/$defs/a", $defs: { a: { type: "number" } } }, [1], ["a"]],
    [{ $ref: "#/$defs/a~1b~0c%25", $defs: { "a/b~c%": { type: "number" } } }, [1], ["a"]],
    [{ prefixItems: [{ type: "number" }, { $ref: "#/prefixItems/0" }] }, [[1, 2]], [[1, "a"]]],
    [{ $ref: "#/x-parts/a", "x-parts": { a: { type: "number" } } }, [1], ["a"]],
  ],
  "a schema may contain itself": [
    [
      TREE,
      [{ id: 1, children: [{ id: 2, children: [] }] }],
      [{ id: 1, children: [{ id: 2, children: [{}] }] }],
    ],
  ],
  "keywords next to $ref count, too": [
    [{ $ref: "#/$defs/a", maximum: 5, $defs: { a: { minimum: 1 } } }, [3], [0, 6]],
    [
      { $ref: "#/$defs/a", unevaluatedProperties: false, $defs: { a: { properties: { b: true } } } },
      [{ b: 1 }],
      [{ c: 1 }],
    ],
  ],
  "an anchor names a place": [
    [{ $ref: "#here", $defs: { a: { $anchor: "here", type: "number" } } }, [1], ["a"]],
    [{ $ref: "#here", $defs: { a: { $dynamicAnchor: "here", type: "number" } } }, [1], ["a"]],
  ],
  "$id starts a schema of its own, which relative references start from": [
    [
      {
        $id: "https://example.test/root.json",
        properties: { a: { $ref: "item.json" }, b: { $ref: "/item.json#/$defs/inner" } },
        $defs: { item: { $id: "item.json", $ref: "#/$defs/inner", $defs: { inner: { type: "number" } } } },
      },
      [{ a: 1, b: 1 }],
      [{ a: "x" }, { b: "x" }],
    ],
    [{ $ref: "urn:example:item", $defs: { item: { $id: "urn:example:item", type: "number" } } }, [1], ["a"]],
    [
      {
        $ref: "#/$defs/a/$defs/b",
        $defs: { a: { $id: "x:a", $defs: { b: { $ref: "#/$defs/c" }, c: { type: "number" } } } },
      },
      [1],
      ["a"],
    ],
  ],
  "$dynamicRef leads to the outermost schema that has the anchor": [
    [
      {
        $id: "https://example.test/strict",
        $ref: "tree",
        $dynamicAnchor: "node",
        unevaluatedProperties: false,
        $defs: {
          tree: {
            $id: "tree",
            $dynamicAnchor: "node",
            properties: { value: true, children: { items: { $dynamicRef: "#node" } } },
          },
        },
      },
      [{ children: [{ value: 1 }] }],
      [{ children: [{ valeu: 1 }] }],
    ],
    [{ $dynamicRef: "#/$defs/a", $defs: { a: { type: "number" } } }, [1], ["a"]],
  ],
  "draft-07 spells some things in another way": [
    [
      { $schema: DRAFT_07, items: [{ type: "number" }], additionalItems: { type: "string" } },
      [[], [1, "a"]],
      [["a"], [1, 1]],
    ],
    [{ $schema: DRAFT_07, items: { type: "number" }, additionalItems: false }, [[1, 2]], [["a"]]],
    [
      { $schema: DRAFT_07, dependencies: { a: ["b"], c: { maxProperties: 1 } } },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, { c: 1, d: 1 }],
    ],
    [{ $schema: DRAFT_07, $ref: "#/definitions/a", definitions: { a: { type: "number" } } }, [1], ["a"]],
    [{ $schema: DRAFT_07, $ref: "#a", definitions: { a: { $id: "#a", type: "number" } } }, [1], ["a"]],
  ],
  "under draft-07 a $ref switches off everything beside it": [
    [
      { $schema: DRAFT_07, $ref: "#/definitions/a", maximum: 5, definitions: { a: { minimum: 1 } } },
      [3, 6],
      [0],
    ],
    [
      {
        $schema: DRAFT_07,
        allOf: [{ $id: "x:other", $ref: "#/definitions/a" }],
        definitions: { a: { type: "number" } },
      },
      [1],
      ["a"],
    ],
  ],
  "a reference that leads nowhere, or out of the document, accepts anything": [
    [{ $ref: "#/$defs/missing" }, [1, "a"], []],
    [{ $ref: "#missing" }, [1], []],
    [{ $ref: "#/%zz" }, [1], []],
    [{ $ref: "https://example.test/schema.json", minimum: 2 }, [2, "a"], [1]],
    [{ $ref: "http://[broken" }, [1], []],
    [{ $dynamicRef: "#missing" }, [1], []],
    [{ $ref: 7, $dynamicRef: null }, [1], []],
  ],
  "an uncheckable part does not make a value invalid": [
    [{ not: { $ref: "https://example.test/a" } }, [1], []],
    [{ oneOf: [{ $ref: "https://example.test/a" }, { $ref: "https://example.test/b" }] }, [1], []],
    [
      {
        oneOf: [
          { type: "string", pattern: "^(?!a)" },
          { type: "string", pattern: "^(?=a)" },
        ],
      },
      ["a"],
      [1],
    ],
    [{ oneOf: [{ type: "file" }, { type: "string" }] }, ["a"], []],
    [{ not: { anyOf: [{ type: "string", pattern: "(?=a)" }, { type: "number" }] } }, ["a", null], [1]],
    [{ if: { $ref: "https://example.test/a" }, [THEN]: false, else: false }, [1], []],
    [{ contains: { pattern: "(?=a)" }, maxContains: 1 }, [["a", "b"]], [[]]],
    [
      { $ref: "https://example.test/a", unevaluatedProperties: false, unevaluatedItems: false },
      [{ a: 1 }, [1]],
      [],
    ],
    [
      { patternProperties: { "^(?=a)": { type: "number" } }, additionalProperties: false },
      [{ a: "x", b: 1 }],
      [],
    ],
    [{ patternProperties: { "^(?=a)": true }, unevaluatedProperties: false }, [{ a: 1 }], []],
  ],
};

for (const [title, rows] of Object.entries(TABLE)) {
  test(title, () => {
    const { check } = createSchemaValidator();
    for (const [schema, fitting, failing] of rows) {
      for (const value of fitting)
        assert.deepEqual(check(schema, value), [], JSON.stringify({ schema, value }));
      for (const value of failing)
        assert.notDeepEqual(check(schema, value), [], JSON.stringify({ schema, value }));
    }
  });
}

test("the network is never asked", (context) => {
  const fetch = context.mock.method(globalThis, "fetch");
  const { check } = createSchemaValidator();
  const elsewhere = "http://127.0.0.1:9/schema.json";
  check({ $id: "http://127.0.0.1:9/", allOf: [{ $ref: elsewhere }, { $ref: "other.json#a" }] }, 1);
  assert.equal(fetch.mock.callCount(), 0);
});
