import assert from "node:assert/strict";
import { test } from "node:test";
import { atFragment, atPointer, measureJson, NotJson, pointerTo, sameJson } from "./json.ts";

test("two JSON values are the same whatever the order of their keys", () => {
  assert.ok(sameJson({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }));
  for (const [left, right] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], { 0: 1 }],
    [null, {}],
    ["1", 1],
    [{ toString: 1 }, {}],
  ]) {
    assert.ok(!sameJson(left, right), `${JSON.stringify(left)} and ${JSON.stringify(right)}`);
  }
});

test("parts that were found equal before are told apart from others that only one side shares", () => {
  const known = new Map<object, object>();
  const part = { a: 1 };
  assert.ok(sameJson({ x: part }, { x: { a: 1 } }, known));
  assert.ok(!sameJson({ x: part }, { x: { a: 2 } }, known));
  assert.ok(sameJson({ x: part, y: part }, { x: { a: 1 }, y: { a: 1 } }, known));
  assert.ok(!sameJson({ x: part, y: part }, { x: { a: 1 }, y: { a: 2 } }, known));
});

test("a pointer finds a value through escaped keys and array indexes", () => {
  const value = { "a/b": { "c~d": ["zero", "one"] } };
  assert.equal(atPointer(value, "/a~1b/c~0d/1"), "one");
  assert.equal(atPointer(value, ""), value);
  assert.equal(pointerTo(pointerTo("", "a/b"), "c~d"), "/a~1b/c~0d");
});

test("a pointer that leads nowhere, or into a prototype, finds nothing", () => {
  for (const pointer of ["/missing", "/a/b/c", "a", "/constructor", "/__proto__", "/a/length/x"]) {
    assert.equal(atPointer({ a: "text" }, pointer), undefined, pointer);
  }
});

test("a local reference is percent-decoded and a malformed one finds nothing", () => {
  assert.equal(atFragment({ $defs: { "a b": 7 } }, "#/$defs/a%20b"), 7);
  assert.equal(atFragment({ a: 1 }, "#/%zz"), undefined);
  assert.equal(atFragment({ a: 1 }, "other.json#/a"), undefined);
});

const PLENTY = 1_000_000;

test("the measured size is that of the real JSON", () => {
  const values = [
    null,
    "",
    "text",
    'quote " and \\ and \n and \u0001',
    "größer 漢字 😀",
    -12.5,
    Number.NaN,
    true,
    [],
    {},
    [1, [2, [3]], { a: undefined, b: { c: "d" } }],
    { when: new Date(0), list: [undefined] },
  ];
  for (const value of values) {
    const real = Buffer.byteLength(JSON.stringify(value));
    const { bytes, over } = measureJson(value, PLENTY);
    assert.deepEqual({ bytes, over }, { bytes: real, over: false }, JSON.stringify(value));
  }
});

test("measuring stops at the limit, also where shared parts would expand without end", () => {
  let value: unknown = "x";
  for (let level = 0; level < 60; level++) value = [value, value];
  assert.deepEqual(measureJson(value, 1000), { bytes: 1000, over: true });
  assert.equal(measureJson("x".repeat(2000), 1000).over, true);
  assert.equal(measureJson({ ["k".repeat(2000)]: 1 }, 1000).over, true);
});

test("a value without a JSON form is refused", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  for (const value of [circle, 10n, () => 1, { deep: Symbol("x") }]) {
    assert.throws(() => measureJson(value, PLENTY), NotJson);
  }
});
