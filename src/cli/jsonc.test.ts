import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidJson, insertJson, parseJsonc } from "./jsonc.ts";

/** The parser's objects have no prototype. */
function plain(value: unknown): unknown {
  return structuredClone(value);
}

test("JSON with comments, trailing commas and a byte order mark is read", () => {
  const text =
    '\uFEFF{ // one\n "a": [1, -2.5e3, true, null,], /* two */ "b\\"": { "c": "// no comment", }, }\n// end';
  assert.deepEqual(plain(parseJsonc(text)), { a: [1, -2500, true, null], 'b"': { c: "// no comment" } });
});

test("text that is not JSON is refused with its line", () => {
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
    assert.throws(() => parseJsonc(text), InvalidJson, JSON.stringify(text.slice(0, 20)));
  }
  assert.throws(() => parseJsonc('{\n\n "a": oops }'), { message: "line 3: invalid symbol" });
});

test("a new member of JSON goes after the last one, and everything else stays in place", () => {
  const member = ["new", { x: 1 }] as const;
  assert.equal(insertJson("", ["s"], member), '{\n  "s": {\n    "new": {\n      "x": 1\n    }\n  }\n}\n');
  assert.equal(
    insertJson('{\n\t"s": {\n\t\t"a": 1, // one\n\t}\n}', ["s"], member),
    '{\n\t"s": {\n\t\t"a": 1, // one\n\t\t"new": {\n\t\t\t"x": 1\n\t\t},\n\t}\n}',
  );
  assert.equal(
    insertJson('{ "s": { "new": 7, "b": 2 } }', ["s"], ["new", 8]),
    '{ "s": { "new": 8, "b": 2 } }',
  );
  assert.deepEqual(plain(parseJsonc(insertJson('{ "l": [1] }', ["l"], ["", 2]))), { l: [1, 2] });
  assert.deepEqual(plain(parseJsonc(insertJson("{}", ["l"], ["", 2]))), { l: [2] });
  assert.throws(() => insertJson('{ "s": 7 }', ["s"], member), InvalidJson);
});

test("a new member of JSON takes the indentation and line endings of its neighbours, and their comments stay with them", () => {
  assert.equal(
    insertJson('{\r\n    "s": {\r\n        "a": 1 /* // */ // one\r\n    }\r\n}', ["s"], ["b", { x: 1 }]),
    '{\r\n    "s": {\r\n        "a": 1, /* // */ // one\r\n        "b": {\r\n            "x": 1\r\n        }\r\n    }\r\n}',
  );
  assert.equal(
    insertJson('{\n    "s": {},\n    "t": 1\n}', ["s"], ["b", 2]),
    '{\n    "s": {\n        "b": 2\n    },\n    "t": 1\n}',
  );
  assert.equal(insertJson('{"s":{"a":1}}', ["s"], ["b", 2]), '{"s":{"a":1,\n  "b": 2}}');
});

test("inserting into a list by name, or into an object by position, is refused", () => {
  assert.throws(() => insertJson("[]", ["s"], ["b", 2]), InvalidJson);
  assert.throws(() => insertJson('{ "s": [] }', ["s"], ["b", 2]), InvalidJson);
  assert.throws(() => insertJson('{ "s": {} }', ["s"], ["", 2]), InvalidJson);
});
