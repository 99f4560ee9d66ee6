import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce, inSlices, type Steps } from "../core/index.ts";

/** Steps of 1 ms each, and a count of those done. */
function slowSteps(count: number) {
  const progress = { done: 0 };
  function* steps(): Steps<string> {
    while (progress.done < count) {
      const end = performance.now() + 1;
      while (performance.now() < end);
      progress.done++;
      yield;
    }
    return "result";
  }
  return { progress, steps: steps() };
}

test("others get a turn while work is done in slices", async () => {
  const { steps, progress } = slowSteps(50);
  const seen: number[] = [];
  const look = () => {
    seen.push(progress.done);
    if (progress.done < 50) setImmediate(look);
  };
  setImmediate(look);
  assert.equal(await inSlices(steps), "result");
  assert.ok(seen.filter((done) => done > 0 && done < 50).length >= 2, String(seen));
});

test("work that is aborted goes no further", async () => {
  const { steps, progress } = slowSteps(1_000);
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await assert.rejects(inSlices(steps, stop.signal), { name: "AbortError" });
  assert.ok(progress.done < 1_000);
  await assert.rejects(inSlices(slowSteps(1).steps, stop.signal), { name: "AbortError" });
});

test("work can be done at once", () => {
  assert.equal(atOnce(slowSteps(3).steps), "result");
});
