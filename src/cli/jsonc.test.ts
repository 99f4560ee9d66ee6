import assert from "node:assert/strict";
import { test } from "node:test";
import { insertJson, NoJson, parseJsonc } from "./jsonc.ts";

test("comments, trailing commas and a byte order mark are allowed", () => {
  const text =
    '\uFEFF{ // one\n "a": [1, -2.5e3, true, null,], /* two */ "b\\"": { "c": "// no comment", }, }\n// end';
  assert.deepEqual(parseJsonc(text).value, { a: [1, -2500, true, null], 'b"': { c: "// no comment" } });
});

test("what is no JSON is refused with its line", () => {
  for (const text of [
    "",
    "{",
    "{\n a: 1 }",
    '{ "a" 1 }',
    "[1 2]",
    '{ "a": 1 } x',
    '"a\nb"',
    "[".repeat(100_000),
    '{"\\x": 1}',
  ]) {
    assert.throws(() => parseJsonc(text), NoJson, JSON.stringify(text.slice(0, 20)));
  }
  assert.throws(() => parseJsonc('{\n\n "a": oops }'), { message: "line 3: no value begins here" });
});

test("a member goes in after the last one, and everything else stays where it is", () => {
  const member = ["new", { x: 1 }] as const;
  assert.equal(insertJson("", ["s"], member), '{\n  "s": {\n    "new": {\n      "x": 1\n    }\n  }\n}\n');
  assert.equal(
    insertJson('{\n\t"s": {\n\t\t"a": 1, // one\n\t}\n}', ["s"], member),
    '{\n\t"s": {\n\t\t"a": 1,\n\t\t"new": {\n\t\t\t"x": 1\n\t\t}, // one\n\t}\n}',
  );
  assert.equal(
    insertJson('{ "s": { "new": 7, "b": 2 } }', ["s"], ["new", 8]),
    '{ "s": { "new": 8, "b": 2 } }',
  );
  assert.deepEqual(parseJsonc(insertJson('{ "l": [1] }', ["l"], ["", 2])).value, { l: [1, 2] });
  assert.deepEqual(parseJsonc(insertJson("{}", ["l"], ["", 2])).value, { l: [2] });
  assert.throws(() => insertJson('{ "s": 7 }', ["s"], member), NoJson);
});
