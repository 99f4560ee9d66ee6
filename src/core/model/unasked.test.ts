import assert from "node:assert/strict";
import { test } from "node:test";
import { UnaskedMessages } from "./unasked.ts";

test("two thousand messages at once and a thousand a second are taken, and no more", () => {
  let now = 0;
  const unasked = new UnaskedMessages(() => now);
  for (let n = 0; n < 1_900; n++) assert.ok(unasked.take(10), `message ${n}`);
  for (let second = 0; second < 10; second++) {
    now += 1_000;
    for (let n = 0; n < 990; n++) assert.ok(unasked.take(10), `message ${n} of second ${second}`);
  }
  assert.equal(
    Array.from({ length: 200 }, () => unasked.take(10)).every((isTaken) => isTaken),
    false,
  );
});

test("large messages count as several, and what answers something that was given up does not count", () => {
  const unasked = new UnaskedMessages(() => 0);
  unasked.expect(50_000);
  for (let n = 0; n < 50_000; n++) assert.ok(unasked.take(1_000_000));
  assert.ok(unasked.take(7 * 2 ** 20), "a late answer may be a large one");
  assert.equal(unasked.take(7 * 2 ** 20), false);
});
