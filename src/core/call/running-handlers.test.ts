import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { CallError, OperationContext, Registration } from "../model/index.ts";
import { defineOperation, SILENT_LOG } from "../model/index.ts";
import { createLimits } from "./limits.ts";

/** Operations that run until they are told to end, whatever their caller wants; two may run for one caller. */
function stubborn() {
  const running: (() => void)[] = [];
  const warnings: unknown[] = [];
  const run = () => new Promise<void>((end) => running.push(end));
  const operation = (name: string, handler: (context: OperationContext) => unknown): Registration =>
    defineOperation({
      name: `demo/${name}`,
      type: "query",
      description: "For a test.",
      composes: ["demo/*"],
      handler: (_input, context) => handler(context),
    });
  const stream = defineOperation({
    name: "demo/stream",
    type: "subscription",
    description: "For a test.",
    async *handler() {
      yield await run();
    },
  });
  const registrations = [
    operation("leaf", run),
    operation("composer", ({ env }) => env.invoke("demo/leaf")),
    operation("starter", ({ env }) => void env.invoke("demo/leaf")),
    stream,
  ];
  const { dispatch } = createRuntime({
    limits: createLimits({ concurrent: 2 }),
    log: { ...SILENT_LOG, warn: (message, fields) => warnings.push([message, fields?.operation]) },
    sources: [{ source: { name: "test" }, registrations }],
  });
  return { dispatch, running, warnings };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    ({ code }: CallError) => code,
  );

for (const name of ["leaf", "composer"]) {
  test(`a caller that leaves demo/${name} and calls again has no more handlers than it may have`, async () => {
    const { dispatch, running } = stubborn();
    const callAndLeave = async () => {
      const caller = new AbortController();
      const outcome = codeOf(dispatch.invoke({ operation: `demo/${name}` }, { signal: caller.signal }));
      await turn();
      caller.abort();
      return outcome;
    };
    const outcomes: string[] = [];
    for (let time = 0; time < 5; time++) outcomes.push(await callAndLeave());
    assert.deepEqual(outcomes, ["ABORTED", "ABORTED", "RATE_LIMITED", "RATE_LIMITED", "RATE_LIMITED"]);
    assert.equal(running.length, 2);
    running.pop()?.();
    await turn();
    assert.equal(await callAndLeave(), "ABORTED", "there is room again when a handler has ended");
  });
}

test("a child that its composer did not wait for counts until it ends", async () => {
  const { dispatch, running } = stubborn();
  const start = () => codeOf(dispatch.invoke({ operation: "demo/starter" }));
  assert.deepEqual([await start(), await start(), await start()], ["ok", "ok", "RATE_LIMITED"]);
  for (const end of running) end();
  await turn();
  assert.equal(await start(), "ok");
});

test("a stream that was dropped counts until its generator has returned", async () => {
  const { dispatch, running } = stubborn();
  const open = async () => {
    const items = await dispatch.invokeStreaming({ operation: "demo/stream" });
    void items.next();
    await turn();
    await items.return?.();
  };
  assert.deepEqual([await codeOf(open()), await codeOf(open())], ["ok", "ok"]);
  assert.equal(await codeOf(open()), "RATE_LIMITED");
  running.pop()?.();
  await turn();
  await turn();
  assert.equal(await codeOf(open()), "ok");
});

test("a handler that outlives its call by a minute is told of in the log, once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { dispatch, running, warnings } = stubborn();
  for (const _ of [1, 2]) {
    const caller = new AbortController();
    const outcome = codeOf(dispatch.invoke({ operation: "demo/leaf" }, { signal: caller.signal }));
    await turn();
    caller.abort();
    assert.equal(await outcome, "ABORTED");
  }
  running.pop()?.();
  await turn();
  t.mock.timers.tick(59_999);
  assert.deepEqual(warnings, []);
  t.mock.timers.tick(120_000);
  assert.deepEqual(warnings, [["A handler still runs a minute after its call ended", "demo/leaf"]]);
});
