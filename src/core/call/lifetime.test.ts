import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { OperationContext } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";

const NEVER = new Promise<never>(() => {});

function runtimeOf(handlers: Readonly<Record<string, (context: OperationContext) => unknown>>) {
  const registrations = Object.entries(handlers).map(([name, handler]) =>
    defineOperation({
      name: `demo/${name}`,
      type: "mutation",
      description: "For a test.",
      composes: ["demo/*"],
      handler: (_input, context) => handler(context),
    }),
  );
  const { dispatch } = createRuntime({ sources: [{ source: { name: "test" }, registrations }] });
  return (name: string, root = {}) => dispatch.invoke({ operation: `demo/${name}` }, root);
}

async function failure(work: Promise<unknown>): Promise<CallError> {
  const error = await work.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof CallError, String(error));
  return error;
}

test("a deadline gives TIMEOUT, aborts the signal and does not wait for a handler that ignores it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  let signal: AbortSignal | undefined;
  const call = runtimeOf({
    stuck: (context) => {
      signal = context.signal;
      return NEVER;
    },
  });
  const pending = failure(call("stuck", { deadlineMs: 50 }));
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(49);
  assert.equal(signal?.aborted, false);
  t.mock.timers.tick(1);
  const error = await pending;
  assert.deepEqual([error.code, error.retryable, signal?.aborted], ["TIMEOUT", false, true]);
  assert.match(error.message, /check before you repeat a mutation/);
});

test("a call without a deadline of its own has the default of 30 seconds", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const pending = failure(runtimeOf({ stuck: () => NEVER })("stuck"));
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(30_000);
  assert.equal((await pending).code, "TIMEOUT");
});

test("a caller shortens the deadline and never extends it", async () => {
  const remaining: number[] = [];
  const call = runtimeOf({
    look: ({ deadline = 0 }) => remaining.push(Math.round((deadline - Date.now()) / 1_000)),
  });
  for (const deadlineMs of [1e12, 10_000, undefined]) await call("look", { deadlineMs });
  assert.deepEqual(remaining, [30, 10, 30]);
});

test("a clock that is set forward or back ends no call and extends none", async (t) => {
  let jump = 0;
  const now = Date.now;
  t.mock.method(Date, "now", () => now() + jump);
  const call = runtimeOf({
    top: async ({ env }) => {
      const left: unknown[] = [];
      for (jump of [7_200_000, -7_200_000]) left.push(await env.invoke("demo/bottom"));
      return left;
    },
    bottom: ({ deadline = 0 }) => Math.round((deadline - Date.now()) / 1_000),
  });
  assert.deepEqual(await call("top"), [30, 30]);
});

test("a deadline that has passed runs nothing", async () => {
  let ran = false;
  const call = runtimeOf({
    quick: () => {
      ran = true;
      return NEVER;
    },
  });
  assert.equal((await failure(call("quick", { deadlineMs: 0 }))).code, "TIMEOUT");
  assert.equal(ran, false);
});

test("a caller that goes away aborts its call and everything below it", async () => {
  const aborted: string[] = [];
  const waitFor = (name: string, signal: AbortSignal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        aborted.push(name);
        reject(signal.reason);
      }),
    );
  const call = runtimeOf({
    top: (context) => Promise.all([context.env.invoke("demo/middle"), waitFor("top", context.signal)]),
    middle: (context) => Promise.all([context.env.invoke("demo/bottom"), waitFor("middle", context.signal)]),
    bottom: (context) => waitFor("bottom", context.signal),
  });
  const caller = new AbortController();
  const pending = failure(call("top", { signal: caller.signal }));
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  assert.equal((await pending).code, "ABORTED");
  assert.deepEqual(aborted.sort(), ["bottom", "middle", "top"]);
});

test("a caller that is gone already runs nothing", async () => {
  let ran = false;
  const call = runtimeOf({
    quick: () => {
      ran = true;
    },
  });
  assert.equal((await failure(call("quick", { signal: AbortSignal.abort() }))).code, "ABORTED");
  assert.equal(ran, false);
});

test("a child that is cut by the deadline of its parent says TIMEOUT, not ABORTED", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  let code = "";
  const call = runtimeOf({
    top: async ({ env }) => {
      await env.invoke("demo/stuck").catch((error: CallError) => {
        code = error.code;
      });
      return NEVER;
    },
    stuck: () => NEVER,
  });
  const pending = failure(call("top", { deadlineMs: 10 }));
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(10);
  assert.equal((await pending).code, "TIMEOUT");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(code, "TIMEOUT");
});

test("a signal made by AbortSignal.timeout counts as a deadline", async () => {
  const call = runtimeOf({ stuck: () => NEVER });
  const error = Object.assign(new Error("time"), { name: "TimeoutError" });
  const caller = new AbortController();
  const pending = failure(call("stuck", { signal: caller.signal }));
  caller.abort(error);
  assert.equal((await pending).code, "TIMEOUT");
});

test("one child can be aborted alone", async () => {
  const call = runtimeOf({
    top: async ({ env }) => {
      const child = new AbortController();
      const pending = env
        .invoke("demo/stuck", {}, { signal: child.signal })
        .catch((error: CallError) => error.code);
      child.abort();
      return [await pending, await env.invoke("demo/quick")];
    },
    stuck: () => NEVER,
    quick: () => "fine",
  });
  assert.deepEqual(await call("top"), ["ABORTED", "fine"]);
});

test("children that a handler started and did not wait for may run on", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let late = "";
  let signal: AbortSignal | undefined;
  const call = runtimeOf({
    top: ({ env }) => {
      void env.invoke("demo/slow");
      return "answered";
    },
    slow: async (context) => {
      signal = context.signal;
      await gate;
      late = "finished";
    },
  });
  assert.equal(await call("top"), "answered");
  release();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([late, signal?.aborted], ["finished", false]);
});

test("a finished call leaves no timer and no listener behind", async () => {
  const caller = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = caller.signal;
  caller.signal.addEventListener = ((...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(caller.signal, args);
  }) as typeof addEventListener;
  caller.signal.removeEventListener = ((...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(caller.signal, args);
  }) as typeof removeEventListener;
  // Tests before this one, in the same process, may have left timers of their own.
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const call = runtimeOf({ quick: () => "ok" });
  const before = timers();
  await call("quick", { signal: caller.signal });
  assert.equal(listeners, 0);
  assert.ok(timers() <= before);
});
