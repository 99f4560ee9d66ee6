import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { problemOfJsonText } from "./json-text.ts";

const isDeeperThan = (text: string, limit: number) => problemOfJsonText(text, limit)?.kind === "depth";
const hasTooManyShapes = (value: unknown) => problemOfJsonText(JSON.stringify(value), 64)?.kind === "shapes";
const many = <Item>(length: number, item: (n: number) => Item) => Array.from({ length }, (_, n) => item(n));

test("the depth of JSON is told from its text, whatever is in quotes", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const value = fc.jsonValue({ maxDepth: 8, noUnicodeString: false });
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 9 }), (json, limit) => {
      assert.equal(isDeeperThan(JSON.stringify(json), limit), depthOf(json) > limit);
    }),
  );
  const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "{", "]", "a"), maxLength: 30 });
  fc.assert(
    fc.property(text, text, (key, inner) => {
      assert.equal(isDeeperThan(JSON.stringify([{ [key]: inner }, [inner]]), 2), false);
      assert.equal(isDeeperThan(JSON.stringify([{ [key]: [inner] }]), 2), true);
    }),
  );
  const quoted = JSON.stringify({ a: '[[{{"\\', "]}[[": ['\\"[['] });
  assert.equal(isDeeperThan(quoted, 2), false);
  assert.equal(isDeeperThan(quoted, 1), true);
});

test("a text of more than 150,000 lists and objects for each MiB is found", () => {
  const problemOf = (value: unknown) => problemOfJsonText(JSON.stringify(value), 64)?.kind;
  assert.equal(problemOf(many(149_999, () => [])), undefined);
  assert.equal(problemOf(many(150_000, () => [])), "containers");
  assert.equal(problemOf(many(80_000, (n) => [n / 7, n / 11])), undefined, "a list of points");
});

test("objects of more than 10,000 shapes for each MiB are found, in one object or in many", () => {
  const keys = (count: number) => Object.fromEntries(many(count, (n) => [`key ${n}`, n]));
  assert.equal(hasTooManyShapes(keys(10_000)), false);
  assert.equal(hasTooManyShapes(keys(10_050)), true);
  assert.equal(hasTooManyShapes(many(10_050, (n) => ({ [`k${n}`]: n }))), true);
  assert.equal(hasTooManyShapes({ a: [many(3, () => keys(4_000)), many(3, () => keys(4_000))] }), false);
  // A few hundred keys in ever another order.
  const orders = many(12_000, (n) => ({ [`a${n % 97}`]: 0, [`b${n % 89}`]: 0, [`c${n % 83}`]: 0 }));
  assert.equal(hasTooManyShapes(orders), true);
  assert.equal(
    hasTooManyShapes(many(60_000, (n) => ({ id: n, name: "", tags: [{ a: 1 }, { a: 2 }] }))),
    false,
  );
  assert.equal(problemOfJsonText(`{${'"":0,'.repeat(10_050)}"":0}`, 64)?.kind, "shapes");
  assert.equal(problemOfJsonText(JSON.stringify({ text: ":".repeat(200_000) }), 64), undefined);
  const larger = { ...keys(11_000), filler: "x".repeat(2 ** 20) };
  assert.equal(hasTooManyShapes(larger), false);
});
