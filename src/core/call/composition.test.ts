import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { OperationEnv } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";

/** A runtime with `demo/run`, which does what the test says, `demo/child`, `demo/slow` and `demo/failing`. */
function composing(run: (env: OperationEnv, signal: AbortSignal) => unknown) {
  const counts = { children: 0 };
  const child = defineOperation({
    name: "demo/child",
    type: "query",
    description: "Counts.",
    handler: () => ++counts.children,
  });
  const failing = defineOperation({
    name: "demo/failing",
    type: "query",
    description: "Fails.",
    handler: () => Promise.reject(new Error("It failed.")),
  });
  const slow = defineOperation({
    name: "demo/slow",
    type: "query",
    description: "Waits until it is given up.",
    handler: (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const outer = defineOperation({
    name: "demo/run",
    type: "query",
    description: "Composes.",
    composes: ["demo/*"],
    handler: (_input, { env, signal }) => run(env, signal),
  });
  const registrations = [outer, child, failing, slow];
  const { dispatch } = createRuntime({ sources: [{ source: { name: "demo" }, registrations }] });
  const invoke = (signal?: AbortSignal) =>
    dispatch.invoke({ operation: "demo/run" }, { signal }).catch((error: unknown) => error);
  return { invoke, counts };
}

/** How many children began between two turns of the event loop, at the most, while the work went on. */
async function mostInOneTurn(work: Promise<unknown>, counts: { readonly children: number }): Promise<number> {
  let done = false;
  void work.then(() => {
    done = true;
  });
  let most = 0;
  for (let before = counts.children; !done; before = counts.children) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, counts.children - before);
  }
  return most;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a child that its composer does not wait for fails without harm", async (t) => {
  const stray: unknown[] = [];
  const listener = (error: unknown) => stray.push(error);
  process.on("unhandledRejection", listener);
  t.after(() => process.off("unhandledRejection", listener));

  const forgetting = composing((env) => {
    void env.invoke("demo/failing");
    void env.invoke("demo/unknown");
    return "answered";
  });
  assert.equal(await forgetting.invoke(), "answered");

  const twoAtOnce = composing(async (env) => {
    const first = env.invoke("demo/slow");
    const second = env.invoke("demo/slow");
    return [await first, await second];
  });
  const caller = new AbortController();
  const answer = twoAtOnce.invoke(caller.signal);
  await turn();
  caller.abort();
  const error = await answer;
  assert.ok(error instanceof CallError && error.code === "ABORTED");
  await turn();
  assert.deepEqual(stray, []);
});

test("an operation that composes itself ends at sixteen levels, and the caller is told why", async () => {
  let runs = 0;
  const { invoke } = composing((env) => {
    runs++;
    return env.invoke("demo/run");
  });
  const error = await invoke();
  assert.ok(error instanceof CallError);
  assert.deepEqual([error.code, error.details], ["INTERNAL", { maxDepth: 16 }]);
  assert.match(error.message, /^demo\/run composes calls .* more than 16 levels deep/);
  assert.equal(runs, 17, "the call itself and sixteen below it");
});

test("an operation that composes itself in all directions is ended before it fills the memory", async () => {
  let runs = 0;
  const { invoke } = composing((env) => {
    runs++;
    return Promise.all(Array.from({ length: 50 }, () => env.invoke("demo/run")));
  });
  const error = await invoke();
  assert.ok(error instanceof CallError);
  assert.deepEqual([error.code, error.details], ["INTERNAL", { maxAtOnce: 10_000 }]);
  assert.ok(runs <= 10_001, `${runs} runs`);
});

test("a loop over many children lets other callers have their turn", async () => {
  const { invoke, counts } = composing(async (env) => {
    for (let count = 0; count < 2_000; count++) await env.invoke("demo/child");
    return "done";
  });
  const work = invoke();
  const most = await mostInOneTurn(work, counts);
  assert.equal(await work, "done");
  assert.equal(counts.children, 2_000);
  assert.ok(most <= 64, `${most} children in one turn`);
});

test("children that are begun all at once let other callers have their turn", async () => {
  const { invoke, counts } = composing((env) =>
    Promise.all(Array.from({ length: 2_000 }, () => env.invoke("demo/child"))),
  );
  const work = invoke();
  const most = await mostInOneTurn(work, counts);
  assert.equal(((await work) as unknown[]).length, 2_000);
  assert.ok(most <= 64, `${most} children in one turn`);
});

test("a handler that goes on whatever it is refused lets others have their turn, and ends with its signal", async () => {
  let refused = 0;
  const { invoke } = composing(async (env, signal) => {
    while (!signal.aborted) await env.invoke("elsewhere/unknown").catch(() => refused++);
  });
  const caller = new AbortController();
  const work = invoke(caller.signal);
  for (let turns = 0; turns < 20; turns++) await turn();
  caller.abort();
  await work;
  assert.ok(refused > 32, `${refused} refused`);
});
