import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

function fits(schema: unknown, value: unknown): boolean {
  return createSchemaValidator().check(schema as JsonSchema, value).length === 0;
}

test("names that every object inherits are names like others", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const own = JSON.parse(`{"${name}": 1}`);
    const wantsText = JSON.parse(`{"properties": {"${name}": {"type": "string"}}}`);
    assert.equal(fits(wantsText, {}), true);
    assert.equal(fits(wantsText, own), false);
    assert.equal(fits({ required: [name] }, {}), false);
    assert.equal(fits({ required: [name] }, own), true);
    assert.equal(fits({ additionalProperties: false }, own), false);
    assert.equal(fits({ unevaluatedProperties: false }, own), false);
    assert.equal(fits({ enum: [own] }, {}), false);
    assert.equal(fits({ enum: [own] }, JSON.parse(JSON.stringify(own))), true);
    assert.equal(fits({ uniqueItems: true }, [own, {}]), true);
    assert.equal(fits({ dependentRequired: JSON.parse(`{"${name}": ["a"]}`) }, {}), true);
    assert.equal(fits({ type: name }, 1), true);
    assert.equal(fits({ $ref: `#/${name}` }, 1), true);
    assert.equal(fits({ $ref: `#${name}` }, 1), true);
    assert.equal(Object.hasOwn(Object.prototype, "a"), false);
  }
});

test("an invalid value in place of a schema is ignored", () => {
  const KEYWORDS = [
    ...["$ref", "$dynamicRef", "$id", "$schema", "$anchor", "$dynamicAnchor", "$defs", "definitions"],
    ...["type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
    ...["minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minContains"],
    ...["minProperties", "maxProperties", "required", "dependentRequired", "dependentSchemas"],
    ...["properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties"],
    ...["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems", "allOf", "if"],
    ...["else", "dependencies"],
  ];
  const values = [null, 1, "text", [1], { name: 1, other: "x" }];
  for (const nonsense of [null, "nonsense", [null, 7], { a: null, b: "x", c: [7] }]) {
    for (const keyword of KEYWORDS) {
      for (const value of values)
        assert.equal(fits({ [keyword]: nonsense }, value), true, `${keyword}: ${JSON.stringify(nonsense)}`);
    }
    for (const value of values) {
      assert.equal(fits(nonsense, value), true);
      for (const keyword of ["anyOf", "oneOf", "enum"])
        assert.doesNotThrow(() => fits({ [keyword]: nonsense }, value));
    }
  }
});
