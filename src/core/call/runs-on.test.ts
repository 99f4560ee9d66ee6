import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { AuditEntry, ComposeOptions, OperationContext } from "../model/index.ts";
import { type CallError, defineOperation } from "../model/index.ts";
import { createLimits } from "./limits.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    ({ code }: CallError) => code,
  );

/** A composer whose child waits until it is told to end, and may try to start another. */
function setting(compose: ComposeOptions, options: RuntimeOptions = {}) {
  const audited: AuditEntry[] = [];
  const logged: { readonly message: string; readonly fields: unknown }[] = [];
  const seen: { child?: OperationContext; started: number; late?: string } = { started: 0 };
  let end = (_how?: unknown) => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const internal = (name: string, handler: (context: OperationContext) => unknown) =>
    defineOperation({
      name,
      type: "query",
      visibility: "internal",
      description: "For a test.",
      composes: ["inner/*"],
      handler: (_input, context) => handler(context),
    });
  const child = internal("inner/child", async (context) => {
    seen.child = context;
    const how = await ended;
    if (how === "throws") throw new Error("it failed");
    if (how === "starts") seen.late = await codeOf(context.env.invoke("inner/leaf", {}, compose));
    return "done";
  });
  const leaf = internal("inner/leaf", () => {
    seen.started++;
  });
  const outer = defineOperation({
    name: "outer/run",
    type: "query",
    description: "For a test.",
    composes: ["inner/*"],
    handler: (_input, { env }) => env.invoke("inner/child", {}, compose),
  });
  const stream = defineOperation({
    name: "outer/watch",
    type: "subscription",
    description: "For a test.",
    composes: ["inner/*"],
    async *handler(_input, { env }) {
      void env.invoke("inner/child", {}, compose);
      yield "started";
      await new Promise(() => {});
    },
  });
  const keep = (message: string, fields: unknown) => void logged.push({ message, fields });
  const { dispatch } = createRuntime({
    limits: createLimits({ concurrent: 1 }),
    audit: (entry) => void audited.push(entry),
    log: { info: keep, warn: keep, error: keep },
    sources: [{ source: { name: "test" }, registrations: [child, leaf, outer, stream] }],
    ...options,
  });
  const outcomes = () => Object.fromEntries(audited.map(({ operation, outcome }) => [operation, outcome]));
  return { dispatch, seen, end, outcomes, logged };
}

async function settled(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100 && !isSo(); turns++) await turn();
  assert.ok(isSo());
}

test("a started child runs on when its caller goes away, and counts until it ends", async () => {
  const { dispatch, seen, end, outcomes, logged } = setting({ onAbort: "continue" });
  const caller = new AbortController();
  const work = codeOf(dispatch.invoke({ operation: "outer/run" }, { signal: caller.signal }));
  await settled(() => seen.child !== undefined);
  caller.abort();
  assert.equal(await work, "ABORTED");
  assert.equal(seen.child?.signal.aborted, false);
  assert.equal(await codeOf(dispatch.invoke({ operation: "outer/run" })), "RATE_LIMITED", "it still counts");
  end();
  await settled(() => "inner/child" in outcomes());
  assert.equal(outcomes()["inner/child"], "ok");
  await turn();
  assert.equal(await codeOf(dispatch.invoke({ operation: "services/list" })), "ok", "its place is free");
  assert.match(JSON.stringify(logged), /ran on after its caller was gone.*inner\/child.*"outcome":"ok"/);
});

test("a child without onAbort is aborted with its caller", async () => {
  for (const compose of [{}, { onAbort: "abort" }] as const) {
    const { dispatch, seen, outcomes } = setting(compose);
    const caller = new AbortController();
    const work = codeOf(dispatch.invoke({ operation: "outer/run" }, { signal: caller.signal }));
    await settled(() => seen.child !== undefined);
    caller.abort();
    assert.equal(await work, "ABORTED");
    assert.equal(seen.child?.signal.aborted, true);
    assert.equal(outcomes()["inner/child"], "ABORTED");
  }
});

test("a child that runs on starts nothing new below an aborted call", async () => {
  const { dispatch, seen, end, outcomes } = setting({ onAbort: "continue" });
  const caller = new AbortController();
  const work = codeOf(dispatch.invoke({ operation: "outer/run" }, { signal: caller.signal }));
  await settled(() => seen.child !== undefined);
  caller.abort();
  await work;
  end("starts");
  await settled(() => "inner/child" in outcomes());
  assert.deepEqual([seen.late, seen.started], ["ABORTED", 0]);
});

test("a child that runs on outlives its caller's deadline, up to its own", async () => {
  const { dispatch, seen, end, outcomes } = setting({ onAbort: "continue" }, { deadlineMs: 60_000 });
  assert.equal(await codeOf(dispatch.invoke({ operation: "outer/run" }, { deadlineMs: 10 })), "TIMEOUT");
  assert.equal(seen.child?.signal.aborted, false);
  const left = (seen.child?.deadline ?? 0) - Date.now();
  assert.ok(left > 50_000 && left <= 60_000, `${left} ms are left`);
  end();
  await settled(() => "inner/child" in outcomes());
  assert.equal(outcomes()["inner/child"], "ok");

  const short = setting({ onAbort: "continue", deadlineMs: 30 });
  await codeOf(short.dispatch.invoke({ operation: "outer/run" }, { deadlineMs: 10 }));
  await new Promise<void>((resolve) => {
    short.seen.child?.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await settled(() => "inner/child" in short.outcomes());
  assert.equal(short.outcomes()["inner/child"], "TIMEOUT");
});

test("a child of a stream runs on when the reader leaves, with a deadline although the stream has none", async () => {
  const { dispatch, seen, end, outcomes } = setting({ onAbort: "continue" });
  const items = await dispatch.invokeStreaming({ operation: "outer/watch" });
  await items.next();
  await settled(() => seen.child !== undefined);
  await items.return?.();
  assert.equal(seen.child?.signal.aborted, false);
  assert.notEqual(seen.child?.deadline, undefined);
  end("starts");
  await settled(() => "inner/child" in outcomes());
  assert.deepEqual([outcomes()["inner/child"], seen.late], ["ok", "ABORTED"]);
});

test("a child that fails after its caller is gone harms nothing; the log has its code", async () => {
  const { dispatch, seen, end, logged, outcomes } = setting({ onAbort: "continue" });
  const stray: unknown[] = [];
  const note = (reason: unknown) => stray.push(reason);
  process.on("unhandledRejection", note);
  const caller = new AbortController();
  const work = codeOf(dispatch.invoke({ operation: "outer/run" }, { signal: caller.signal }));
  await settled(() => seen.child !== undefined);
  caller.abort();
  await work;
  end("throws");
  await settled(() => "inner/child" in outcomes());
  await turn();
  process.off("unhandledRejection", note);
  assert.deepEqual(stray, []);
  assert.match(JSON.stringify(logged), /ran on after its caller was gone.*"outcome":"INTERNAL"/);
});

test("nothing starts below a call that was aborted before, whatever it asks for", async () => {
  let invoke: OperationContext["env"]["invoke"] | undefined;
  const started: string[] = [];
  const outer = defineOperation({
    name: "outer/run",
    type: "query",
    description: "For a test.",
    composes: ["inner/*"],
    handler: (_input, { env }) => {
      invoke = env.invoke;
      return new Promise(() => {});
    },
  });
  const leaf = defineOperation({
    name: "inner/leaf",
    type: "query",
    description: "For a test.",
    handler: () => void started.push("leaf"),
  });
  const { dispatch } = createRuntime({
    sources: [{ source: { name: "test" }, registrations: [outer, leaf] }],
  });
  const caller = new AbortController();
  const work = codeOf(dispatch.invoke({ operation: "outer/run" }, { signal: caller.signal }));
  await settled(() => invoke !== undefined);
  caller.abort();
  await work;
  assert.equal(
    await codeOf(invoke?.("inner/leaf", {}, { onAbort: "continue" }) ?? Promise.resolve()),
    "ABORTED",
  );
  assert.deepEqual(started, []);
});

test("a word that onAbort does not know fails the call, and the log says what it knows", async () => {
  const { dispatch, logged } = setting({ onAbort: "continu" as "continue" });
  assert.equal(await codeOf(dispatch.invoke({ operation: "outer/run" })), "INTERNAL");
  assert.match(JSON.stringify(logged), /onAbort must be .*abort.* or .*continue/);
});
