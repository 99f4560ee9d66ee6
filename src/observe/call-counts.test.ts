import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CallError, type Dispatch, defineOperation, definePlugin } from "../core/index.ts";
import { createRuntime } from "../runtime.ts";
import { CallCounts, counting } from "./call-counts.ts";

function counted() {
  let released = 0;
  const counts = new CallCounts();
  const never = new Promise<never>(() => {});
  const set = definePlugin({
    name: "x",
    operations: [
      defineOperation({ name: "x/fine", type: "query", description: "Answers.", handler: () => "fine" }),
      defineOperation({
        name: "x/fails",
        type: "query",
        description: "Fails.",
        handler: () => {
          throw new CallError("UNAVAILABLE", "no");
        },
      }),
      defineOperation({
        name: "x/waits",
        type: "query",
        description: "Waits until it is told to stop.",
        handler: (_input, { signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      }),
      defineOperation({
        name: "x/items",
        type: "subscription",
        description: "Gives one item, then fails.",
        async *handler() {
          yield 1;
          throw new CallError("UNAVAILABLE", "no more");
        },
      }),
      defineOperation({
        name: "x/silent",
        type: "subscription",
        description: "Gives nothing, and can be released while it waits.",
        handler: () => ({
          [Symbol.asyncIterator]: () => ({
            next: () => never,
            async return() {
              released++;
              return { done: true, value: undefined };
            },
          }),
        }),
      }),
    ],
  });
  const { dispatch } = createRuntime({ sources: [counting(set, counts, true)] });
  return { counts, dispatch, released: () => released };
}

const call = (dispatch: Dispatch, operation: string, root = {}) =>
  dispatch.invoke({ operation }, root).catch((error: CallError) => error.code);

describe("the calls of a source", () => {
  test("the calls of a source are counted with their errors and latencies", async () => {
    const { counts, dispatch } = counted();
    assert.deepEqual(counts.report(), { calls: 0, errors: 0 });
    for (let time = 0; time < 3; time++) assert.equal(await call(dispatch, "x/fine"), "fine");
    assert.equal(await call(dispatch, "x/fails"), "UNAVAILABLE");
    const { calls, errors, latencyMs } = counts.report();
    assert.deepEqual([calls, errors], [4, 1]);
    assert.ok(latencyMs && latencyMs.p50 <= latencyMs.p95 && latencyMs.p95 <= latencyMs.max);
  });

  test("a call whose caller went away is not counted as an error, and one that took too long is", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    const { counts, dispatch } = counted();
    const leave = new AbortController();
    const left = call(dispatch, "x/waits", { signal: leave.signal });
    leave.abort();
    assert.equal(await left, "ABORTED");
    assert.deepEqual(counts.report(), { calls: 0, errors: 0 }, "one that never began");
    const begun = call(dispatch, "x/waits", { deadlineMs: 20 });
    while (counts.report().calls < 1) await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(20);
    assert.equal(await begun, "TIMEOUT");
    assert.deepEqual([counts.report().calls, counts.report().errors], [1, 1]);
    const late = new AbortController();
    const running = call(dispatch, "x/waits", { signal: late.signal });
    while (counts.report().calls < 2) await new Promise((resolve) => setImmediate(resolve));
    late.abort();
    assert.equal(await running, "ABORTED");
    assert.deepEqual([counts.report().calls, counts.report().errors], [2, 1]);
  });

  test("streams are counted as calls that are as slow as their first item, and can be released while they wait", async () => {
    const { counts, dispatch, released } = counted();
    const items: unknown[] = [];
    await assert.rejects(async () => {
      for await (const item of await dispatch.invokeStreaming({ operation: "x/items" })) items.push(item);
    }, /no more/);
    assert.deepEqual(items, [1]);
    assert.deepEqual([counts.report().calls, counts.report().errors], [1, 1]);
    const silent = await dispatch.invokeStreaming({ operation: "x/silent" });
    void silent.next();
    await silent.return?.();
    while (released() === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([counts.report().calls, counts.report().errors], [2, 1]);
  });

  test("only the latencies of the last calls are kept", () => {
    const counts = new CallCounts();
    counts.answered(counts.begin() - 60_000);
    assert.ok((counts.report().latencyMs?.max ?? 0) >= 60_000);
    for (let time = 0; time < 512; time++) counts.answered(counts.begin());
    const { calls, latencyMs } = counts.report();
    assert.equal(calls, 513);
    assert.ok(latencyMs && latencyMs.max < 60_000);
  });
});
