import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePatterns } from "./access.ts";

const CASES: readonly (readonly [pattern: string, name: string, fits: boolean])[] = [
  ["github/create_issue", "github/create_issue", true],
  ["github/create_issue", "github/create_issues", false],
  ["github/*review*", "github/list_reviews", true],
  ["github/*review*", "gitlab/list_reviews", false],
  ["*", "any/thing", true],
  ["west/*", "west/github/create_issue", true],
  ["*/delete*", "petstore/deletePet", true],
  ["*/delete*", "petstore/undelete", false],
  ["a*b*c", "a__b__b__c", true],
  ["a*b*c", "a__c__b", false],
  ["a.b/*", "aXb/c", false],
  ["**", "x/y", true],
];

for (const [pattern, name, fits] of CASES) {
  test(`the pattern ${pattern} ${fits ? "covers" : "does not cover"} ${name}`, () => {
    assert.equal(compilePatterns([pattern])(name), fits);
  });
}

test("no patterns cover nothing, and several cover what one of them covers", () => {
  assert.equal(compilePatterns([])("a/b"), false);
  assert.equal(compilePatterns(["x/*", "a/b"])("a/b"), true);
});

test("a pattern made of stars is not slow", () => {
  assert.equal(compilePatterns([`${"*a".repeat(100)}b`])("a".repeat(5_000)), false);
});
