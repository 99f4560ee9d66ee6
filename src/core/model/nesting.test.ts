import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isDeeperThan } from "./nesting.ts";

test("the depth of JSON is told from its text, whatever stands in quotes", () => {
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
