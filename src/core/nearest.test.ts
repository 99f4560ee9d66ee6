import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

test("typing slips, other spellings and swapped letters find the word that was meant", () => {
  const names = ["create_issue", "list_issues", "close_issue", "merge"];
  assert.equal(nearest("creat_issue", names)[0], "create_issue");
  assert.equal(nearest("createIssue", names)[0], "create_issue");
  assert.equal(nearest("megre", names)[0], "merge");
});

test("the closest comes first, equals by name, and no more than asked for", () => {
  assert.deepEqual(nearest("port", ["ports", "sort", "part", "port"], 3), ["port", "part", "ports"]);
});

test("nothing is better than something far away", () => {
  assert.deepEqual(nearest("weather", ["create_issue", "merge", ""]), []);
});
