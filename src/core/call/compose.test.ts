import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { AuditEntry, Identity, OperationContext, Registration } from "../model/index.ts";
import { CallError, Capabilities, defineOperation } from "../model/index.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["everything"] };

function runtimeOf(registrations: readonly Registration[], options: RuntimeOptions = {}) {
  return createRuntime({ sources: [{ source: { name: "test" }, registrations }], ...options });
}

/** An operation `compose/run` that does what the test says with its env. */
function composer(
  handler: (context: OperationContext) => unknown,
  more: Partial<Pick<Registration, "authority" | "scopedEnv" | "capabilities">> = {},
): Registration {
  const base = defineOperation({
    name: "compose/run",
    type: "mutation",
    description: "For a test.",
    handler: (_input, context) => handler(context),
  });
  return { ...base, scopedEnv: ["*"], ...more };
}

function guarded(scopes: readonly string[]): Registration {
  return defineOperation({
    name: "inner/guarded",
    type: "query",
    visibility: "internal",
    description: "For a test.",
    access: { scopes },
    handler: () => "done",
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (thrown) => (thrown instanceof CallError ? thrown.code : `not a CallError: ${thrown}`),
  );
}

test("a composed call is checked against the authority of the composer, not of the caller", async () => {
  const call = (registration: Registration, identity: Identity) =>
    codeOf(
      runtimeOf([registration, guarded(["everything"])]).dispatch.invoke(
        { operation: "compose/run" },
        { identity },
      ),
    );
  const compose = ({ env }: OperationContext) => env.invoke("inner/guarded");

  const authorised = composer(compose, { authority: { scopes: ["everything"] } });
  const bare = composer(compose);
  const weak = composer(compose, { authority: { scopes: ["little"] } });
  const nobody: Identity = { id: "nobody", authenticated: true, scopes: [] };

  assert.equal(await call(authorised, nobody), "ok", "the caller's own scopes do not matter");
  assert.equal(await call(bare, ADA), "INTERNAL", "the caller's scopes are not lent to the composer");
  assert.equal(await call(weak, ADA), "INTERNAL");
});

test("an operation reaches only what its scoped env names", async () => {
  const target = guarded([]);
  const codes: string[] = [];
  const run = (scopedEnv: string[]) =>
    runtimeOf([
      composer(async ({ env }) => codes.push(await codeOf(env.invoke("/inner/guarded"))), { scopedEnv }),
      target,
    ]).dispatch.invoke({ operation: "compose/run" });
  for (const scopedEnv of [["inner/guarded"], ["inner/*"], ["other/*"], []]) await run(scopedEnv);
  assert.deepEqual(codes, ["ok", "ok", "NOT_FOUND", "NOT_FOUND"]);
});

test("an env composes request and response only", async () => {
  const ticks = defineOperation({
    name: "inner/ticks",
    type: "subscription",
    description: "For a test.",
    async *handler() {},
  });
  let code = "";
  const outer = composer(async ({ env }) => {
    code = await codeOf(env.invoke("inner/ticks"));
  });
  await runtimeOf([outer, ticks]).dispatch.invoke({ operation: "compose/run" });
  assert.equal(code, "INVALID_OPERATION_TYPE");
});

test("the principal stays, and nothing that the wire said travels down", async () => {
  let child: OperationContext | undefined;
  const leaf: Registration = {
    ...defineOperation({
      name: "inner/leaf",
      type: "query",
      visibility: "internal",
      description: "For a test.",
      capabilities: (principal) => new Capabilities({ token: `leaf token of ${principal.id}` }),
      handler: (_input, context) => {
        child = context;
        context.progress({ progress: 1 });
      },
    }),
  };
  const outer = composer(({ env }) => env.invoke("inner/leaf"), {
    authority: { scopes: ["own"], resources: { "project:p1": ["close"] } },
    capabilities: () => new Capabilities({ token: "outer token" }),
  });
  const updates: unknown[] = [];
  await runtimeOf([outer, leaf]).dispatch.invoke(
    { operation: "compose/run" },
    {
      identity: ADA,
      requestId: "root",
      connection: "c-1",
      metadata: { client: "x" },
      forwardedFor: "10.0.0.1",
      trace: { traceparent: "00-abc-def-01" },
      hops: ["far", "near"],
      progress: (update) => updates.push(update),
      requestInput: async () => ({ action: "accept" }),
    },
  );
  assert.ok(child);
  assert.equal(child.principal, ADA);
  assert.deepEqual(child.identity, {
    id: "operation:compose/run",
    authenticated: true,
    scopes: ["own"],
    resources: { "project:p1": ["close"] },
  });
  assert.deepEqual([child.internal, child.parentRequestId, child.connection], [true, "root", "c-1"]);
  assert.notEqual(child.requestId, "root");
  assert.deepEqual([child.metadata, child.forwardedFor], [{}, undefined]);
  assert.deepEqual(child.trace, { traceparent: "00-abc-def-01" });
  assert.deepEqual(child.hops, ["far", "near"]);
  assert.equal(child.capabilities.get("token"), "leaf token of ada");
  assert.deepEqual(updates, []);
  assert.equal(
    await codeOf(child.requestInput({ key: "k", message: "", schema: true })),
    "INVALID_OPERATION_TYPE",
  );
});

test("deadlines only shrink on the way down", async () => {
  const deadlines: (number | undefined)[] = [];
  const leaf = defineOperation({
    name: "inner/leaf",
    type: "query",
    description: "For a test.",
    handler: (_input, { deadline }) => deadlines.push(deadline),
  });
  const outer = composer(async ({ env, deadline }) => {
    deadlines.push(deadline);
    await env.invoke("inner/leaf");
    await env.invoke("inner/leaf", {}, { deadlineMs: 1_000_000 });
    await env.invoke("inner/leaf", {}, { deadlineMs: 1_000 });
  });
  await runtimeOf([outer, leaf]).dispatch.invoke({ operation: "compose/run" }, { deadlineMs: 30_000 });
  const [own = 0, ...below] = deadlines;
  const shorterBy = below.map((deadline = 0) => Math.round((own - deadline) / 1_000) + 0);
  assert.deepEqual(shorterBy, [0, 0, 29]);
});

test("an error from below reaches a caller that could not make the call itself as code and request id only", async () => {
  const failing = defineOperation({
    name: "inner/secret-name",
    type: "query",
    visibility: "internal",
    description: "For a test.",
    errors: [{ code: "TEAPOT", description: "For a test." }],
    inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    handler: ({ code }) => {
      throw new CallError(code, "secret-name failed");
    },
  });
  const outer = composer(({ env, metadata }) => env.invoke("inner/secret-name", metadata));
  const declaring = { ...outer, spec: { ...outer.spec, errors: failing.spec.errors } };
  const ended: string[] = [];
  const outcome = async (registration: Registration, input: object) => {
    const audit = (entry: AuditEntry) => entry.composed && ended.push(entry.requestId);
    const { dispatch } = runtimeOf([registration, failing], { audit });
    const error = await dispatch
      .invoke({ operation: "compose/run" }, { metadata: { ...input } })
      .catch((thrown: CallError) => thrown);
    assert.ok(error instanceof CallError);
    return error;
  };
  for (const [input, code, details] of [
    [{ code: "TEAPOT" }, "INTERNAL", { code: "TEAPOT" }],
    [{}, "INTERNAL", { code: "INVALID_INPUT" }],
    [{ code: "UNAVAILABLE" }, "UNAVAILABLE", {}],
    [{ code: "RATE_LIMITED" }, "RATE_LIMITED", {}],
    [{ code: "OUTPUT_INVALID" }, "INTERNAL", { code: "OUTPUT_INVALID" }],
  ] as const) {
    const error = await outcome(outer, input);
    assert.deepEqual([error.code, error.details], [code, { ...details, requestId: ended.at(-1) }]);
    assert.ok(!JSON.stringify(error).includes("secret-name"), error.message);
  }
  const promised = await outcome(declaring, { code: "TEAPOT" });
  assert.deepEqual(
    [promised.code, promised.message],
    ["TEAPOT", "A step of compose/run ended with TEAPOT."],
    "the code that the composer promises",
  );
});

test("a composer may handle a failure and go on", async () => {
  const outer = composer(async ({ env }) => `handled ${await codeOf(env.invoke("inner/guarded"))}`);
  const { dispatch } = runtimeOf([outer, guarded(["x"])]);
  assert.equal(await dispatch.invoke({ operation: "compose/run" }), "handled FORBIDDEN");
});

test("denied operations are off for composers too", async () => {
  const { dispatch } = runtimeOf([composer(({ env }) => codeOf(env.invoke("inner/guarded"))), guarded([])], {
    policy: { deny: ["inner/*"] },
  });
  assert.equal(await dispatch.invoke({ operation: "compose/run" }), "NOT_FOUND");
});

test("data between operations may be larger than what goes out, and select works on it", async () => {
  const large = defineOperation({
    name: "inner/large",
    type: "query",
    description: "For a test.",
    handler: () => ({ items: Array.from({ length: 1000 }, (_, id) => ({ id })) }),
  });
  const outer = composer(async ({ env }) => {
    const whole = (await env.invoke("inner/large")) as { items: unknown[] };
    const last = await env.invoke("inner/large", {}, { select: "items[-1].id" });
    return { count: whole.items.length, last };
  });
  const { dispatch } = runtimeOf([outer, large], { maxResultBytes: 200 });
  assert.deepEqual(await dispatch.invoke({ operation: "compose/run" }), { count: 1000, last: 999 });
});

test("the audit tells composed calls from those that came from outside", async () => {
  const entries: AuditEntry[] = [];
  const outer = composer(({ env }) => env.invoke("inner/guarded"));
  const { dispatch } = runtimeOf([outer, guarded([])], { audit: (entry) => entries.push(entry) });
  await dispatch.invoke({ operation: "compose/run" }, { identity: ADA, requestId: "root" });
  assert.deepEqual(
    entries.map(({ operation, principal, identity, parentRequestId }) => [
      operation,
      principal,
      identity,
      parentRequestId,
    ]),
    [
      ["inner/guarded", "ada", "operation:compose/run", "root"],
      ["compose/run", "ada", "ada", undefined],
    ],
  );
});

test("an operation that exists but is not in composes is named to the author, and only there", async () => {
  const inner = guarded([]);
  const messages: string[] = [];
  const handler = async ({ env }: OperationContext) => {
    for (const name of ["inner/guarded", "inner/none", "inner/denied"])
      await env.invoke(name).catch((error: CallError) => messages.push(error.message));
    return env.invoke("inner/guarded");
  };
  const denied = { ...inner, spec: { ...inner.spec, name: "inner/denied" } };
  const logged: string[] = [];
  const log = { warn: () => {}, error: (_: string, fields?: object) => logged.push(JSON.stringify(fields)) };
  const { dispatch } = runtimeOf([composer(handler, { scopedEnv: [] }), inner, denied], {
    log,
    policy: { deny: ["inner/denied"] },
  });
  const error = await dispatch.invoke({ operation: "compose/run" }).catch((thrown: CallError) => thrown);
  assert.deepEqual(messages, [
    '"compose/run" does not compose "inner/guarded". Add "inner/guarded" to its composes.',
    'There is no operation "inner/none". Use search to find what is available.',
    'There is no operation "inner/denied". Use search to find what is available.',
  ]);
  assert.ok(error instanceof CallError && error.code === "INTERNAL" && !error.message.includes("inner"));
  assert.match(logged.join(), /Add .*inner\/guarded.* to its composes/);
});
