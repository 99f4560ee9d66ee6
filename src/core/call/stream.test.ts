import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { AuditEntry, JsonSchema, OperationContext } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";

const NEVER = new Promise<never>(() => {});

function streaming(
  handler: (context: OperationContext) => AsyncIterable<unknown>,
  options: RuntimeOptions & { readonly provenance?: "local" | "from-call" } = {},
) {
  const operation = defineOperation({
    name: "demo/stream",
    type: "subscription",
    description: "For a test.",
    errors: [{ code: "DRY", description: "For a test." }],
    outputSchema: { type: "integer" } as JsonSchema,
    handler: (_input, context) => handler(context),
  });
  const entries: AuditEntry[] = [];
  const { provenance = "local", ...rest } = options;
  const runtime = createRuntime({
    audit: (entry) => entries.push(entry),
    sources: [{ source: { name: "test" }, registrations: [{ ...operation, provenance }] }],
    ...rest,
  });
  return {
    open: (root = {}, select?: string) =>
      runtime.dispatch.invokeStreaming({ operation: "demo/stream", select }, root),
    outcomes: () => entries.map(({ outcome }) => outcome),
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (thrown) => (thrown instanceof CallError ? thrown.code : `not a CallError: ${thrown}`),
  );
}

/** Lets everything that is ready to run do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("items arrive one by one, each through select, and only as fast as they are asked for", async () => {
  let produced = 0;
  const { open, outcomes } = streaming(async function* () {
    for (; produced < 3; produced++) yield { id: produced };
  });
  const items = await open({}, "id");
  assert.deepEqual(await items.next(), { done: false, value: 0 });
  await settle();
  assert.equal(produced, 0, "the second item is not made before it is wanted");
  assert.deepEqual(
    [await items.next(), await items.next()].map(({ value }) => value),
    [1, 2],
  );
  assert.deepEqual(await items.next(), { done: true, value: undefined });
  assert.deepEqual(outcomes(), ["ok"]);
});

test("a stream that is dropped half-way releases its handler", async () => {
  let released = false;
  let signal: AbortSignal | undefined;
  const { open, outcomes } = streaming(async function* (context) {
    signal = context.signal;
    try {
      for (let count = 0; ; count++) yield count;
    } finally {
      released = true;
    }
  });
  for await (const item of await open()) if (item === 5) break;
  await settle();
  assert.deepEqual([released, signal?.aborted, outcomes()], [true, true, ["ok"]]);
});

test("a dropped stream does not wait for a handler that is stuck", async () => {
  const { open } = streaming(async function* () {
    yield await NEVER;
  });
  const items = await open();
  const pending = items.next();
  assert.deepEqual(await items.return?.(), { done: true, value: undefined });
  assert.deepEqual(await pending, { done: true, value: undefined });
});

test("a caller that goes away ends the stream with ABORTED, also between two items", async () => {
  for (const waiting of [true, false]) {
    let released = false;
    const { open, outcomes } = streaming(async function* ({ signal }) {
      try {
        yield 1;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      } finally {
        released = true;
      }
    });
    const caller = new AbortController();
    const items = await open({ signal: caller.signal });
    await items.next();
    const pending = waiting ? codeOf(items.next()) : undefined;
    caller.abort();
    await settle();
    assert.deepEqual([released, outcomes()], [true, ["ABORTED"]]);
    assert.equal(await (pending ?? codeOf(items.next())), "ABORTED");
    assert.deepEqual(await items.next(), { done: true, value: undefined }, "told once, then over");
  }
});

test("a reader that falls behind ends the stream with SLOW_CONSUMER, which the audit says too", async () => {
  const { open, outcomes } = streaming(async function* () {
    yield 1;
    await NEVER;
  });
  const wire = new AbortController();
  const items = await open({ signal: wire.signal });
  await items.next();
  wire.abort(new CallError("SLOW_CONSUMER", "Too slow."));
  await settle();
  assert.deepEqual(outcomes(), ["SLOW_CONSUMER"]);
});

test("a stream has no deadline unless it is given one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { open } = streaming(async function* () {
    yield 1;
    yield await NEVER;
  });
  const unlimited = await open();
  const limited = await open({ deadlineMs: 100 });
  await unlimited.next();
  await limited.next();
  const pending = [unlimited.next(), limited.next()] as const;
  t.mock.timers.tick(1_000_000);
  assert.equal(await codeOf(pending[1]), "TIMEOUT");
  await unlimited.return?.();
  assert.deepEqual(await pending[0], { done: true, value: undefined });
});

test("an error of the handler ends the stream and is mapped like any other", async () => {
  for (const [thrown, code] of [
    [new CallError("DRY", "Nothing left."), "DRY"],
    [new Error("secret"), "INTERNAL"],
  ] as const) {
    const { open, outcomes } = streaming(async function* () {
      yield 1;
      throw thrown;
    });
    const items = await open();
    await items.next();
    assert.equal(await codeOf(items.next()), code);
    assert.equal((await items.next()).done, true);
    assert.deepEqual(outcomes(), [code]);
  }
});

test("a handler that cannot even start fails before the first item", async () => {
  const { open, outcomes } = streaming(() => {
    throw new Error("no");
  });
  assert.equal(await codeOf(open()), "INTERNAL");
  assert.deepEqual(outcomes(), ["INTERNAL"]);
});

test("each item is validated and capped as one output", async () => {
  const invalid = streaming(
    async function* () {
      yield 1;
      yield "two";
    },
    { provenance: "from-call", outputValidation: "enforce" },
  );
  const items = await invalid.open();
  await items.next();
  assert.equal(await codeOf(items.next()), "OUTPUT_INVALID");

  let released = false;
  const large = streaming(
    async function* () {
      try {
        yield "x".repeat(500);
      } finally {
        released = true;
      }
    },
    { maxResultBytes: 100 },
  );
  assert.equal(await codeOf((await large.open()).next()), "RESULT_TOO_LARGE");
  await settle();
  assert.equal(released, true);
});

test("an iterable without return() can be dropped too", async () => {
  const { open } = streaming(() => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }),
  }));
  const items = await open();
  assert.equal((await items.next()).value, 1);
  assert.equal((await items.return?.())?.done, true);
  assert.equal((await items.return?.())?.done, true);
});
