import assert from "node:assert/strict";
import { test } from "node:test";
import { paced } from "./paced.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("work is done at once, and then not again before a rest, however often it is told", async () => {
  const seen: string[] = [];
  const rested: (() => void)[] = [];
  let finish = () => {};
  const tell = paced(
    () => {
      seen.push("work");
      return new Promise((resolve) => {
        finish = () => resolve(20);
      });
    },
    (milliseconds) => {
      seen.push(`rest ${milliseconds}`);
      return new Promise((resolve) => rested.push(resolve));
    },
  );
  tell();
  assert.deepEqual(seen, ["work"]);
  for (let times = 0; times < 1_000; times++) tell();
  finish();
  await turn();
  for (let times = 0; times < 1_000; times++) tell();
  assert.deepEqual(seen, ["work", "rest 180"]);
  rested.shift()?.();
  await turn();
  assert.deepEqual(seen, ["work", "rest 180", "work"]);
  finish();
  await turn();
  rested.shift()?.();
  await turn();
  assert.deepEqual(seen, ["work", "rest 180", "work", "rest 180"], "nothing more was told");
  tell();
  assert.equal(seen.at(-1), "work");
});
