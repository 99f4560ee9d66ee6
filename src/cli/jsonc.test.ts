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
    '{\n\t"s": {\n\t\t"a": 1, // one\n\t\t"new": {\n\t\t\t"x": 1\n\t\t},\n\t}\n}',
  );
  assert.equal(
    insertJson('{ "s": { "new": 7, "b": 2 } }', ["s"], ["new", 8]),
    '{ "s": { "new": 8, "b": 2 } }',
  );
  assert.deepEqual(parseJsonc(insertJson('{ "l": [1] }', ["l"], ["", 2])).value, { l: [1, 2] });
  assert.deepEqual(parseJsonc(insertJson("{}", ["l"], ["", 2])).value, { l: [2] });
  assert.throws(() => insertJson('{ "s": 7 }', ["s"], member), NoJson);
});

test("a new member is indented as its neighbours, ends its lines as they do, and leaves their comments to them", () => {
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

test("a list where an object should be is refused, and the other way round", () => {
  assert.throws(() => insertJson("[]", ["s"], ["b", 2]), NoJson);
  assert.throws(() => insertJson('{ "s": [] }', ["s"], ["b", 2]), NoJson);
  assert.throws(() => insertJson('{ "s": {} }', ["s"], ["", 2]), NoJson);
});
