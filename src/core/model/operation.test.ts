import assert from "node:assert/strict";
import { test } from "node:test";
import { lastSegmentOf, namespaceOf, normaliseName, problemOfName } from "./operation.ts";

test("a caller may write one leading slash, and only one", () => {
  assert.equal(normaliseName("/github/create_issue"), "github/create_issue");
  assert.equal(normaliseName("//github/create_issue"), "/github/create_issue");
});

test("the namespace is the first segment and the word is the last", () => {
  assert.equal(namespaceOf("west/github/create_issue"), "west");
  assert.equal(lastSegmentOf("west/github/create_issue"), "create_issue");
  assert.equal(namespaceOf("alone"), "alone");
});

test("a name has at least two segments of plain characters", () => {
  for (const name of ["a/b", "github/create_issue", "west/github/v1.2-x", "_x/_y"]) {
    assert.equal(problemOfName(name), undefined, name);
  }
  for (const name of [
    "",
    "a",
    "/a/b",
    "a/",
    "a//b",
    "a/b c",
    "ä/b",
    "-a/b",
    `a/${"b".repeat(200)}`,
    "a/b\n",
  ]) {
    assert.ok(problemOfName(name), JSON.stringify(name));
  }
});
