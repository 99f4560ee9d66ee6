import assert from "node:assert/strict";
import { test } from "node:test";
import { measureJson, NotJson } from "./measure.ts";

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

test("what has no JSON form is refused", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  for (const value of [circle, 10n, () => 1, { deep: Symbol("x") }]) {
    assert.throws(() => measureJson(value, PLENTY), NotJson);
  }
});
