import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonSchema, SchemaUnusable } from "../../core/index.ts";
import { createSchemaValidator } from "./validator.ts";

describe("a pattern cannot hang the process", () => {
  const text = `${"a".repeat(100_000)}!`;

  test("a pattern cannot hang the process by backtracking", () => {
    assert.equal(judge({ pattern: "^(a+)+$" }, text), "fails");
    assert.equal(judge({ pattern: "(a|aa)+$" }, text), "fails");
    assert.equal(judge({ patternProperties: { "^(a+)+$": false } }, { [text]: 1 }), "fits");
  });

  test("a pattern cannot hang the process by its source or compiled size", () => {
    assert.equal(judge({ pattern: "(a?){500}a{500}$" }, text), "unusable");
    const unfit = ["(((a{99}){99}){99})", "x".repeat(1_000_000), "(".repeat(4_000), "\\p{L}".repeat(900)];
    for (const pattern of unfit) assert.equal(judge({ pattern }, text), "fits");
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`^${index}[a-z]+$`, true]));
    assert.equal(judge({ patternProperties: many }, { a: 1 }), "unusable");
  });

  test("a pattern that the engine cannot express is ignored", () => {
    for (const pattern of ["^(?=b)", "(?<!a)b", "(b)\\1", "(?<x>b)\\k<x>", "\\Zb", "(b", "*"])
      assert.equal(judge({ pattern }, "aaa"), "fits", pattern);
  });
});

type Verdict = "fits" | "fails" | "unusable";

function judge(schema: JsonSchema, value: unknown): Verdict {
  try {
    return createSchemaValidator().check(schema, value).length === 0 ? "fits" : "fails";
  } catch (error) {
    if (error instanceof SchemaUnusable) return "unusable";
    throw error;
  }
}
