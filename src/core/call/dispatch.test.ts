import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { AuditEntry, Identity, OperationContext, Registration } from "../model/index.ts";
import { CallError, Capabilities, defineOperation } from "../model/index.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["read"] };

function runtimeOf(registrations: readonly Registration[], options: RuntimeOptions = {}) {
  return createRuntime({ sources: [{ source: { name: "test" }, registrations }], ...options });
}

async function failure(work: Promise<unknown>): Promise<CallError> {
  const error = await work.then(
    () => assert.fail("it should have failed"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CallError, String(error));
  return error;
}

const echo = defineOperation({
  name: "demo/echo",
  type: "query",
  description: "Echoes a text.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: ({ text }) => text,
});

const ticks = defineOperation({
  name: "demo/ticks",
  type: "subscription",
  description: "Ticks.",
  async *handler() {
    yield 1;
  },
});

test("a call answers with the output of the handler, by name, alias or leading slash", async () => {
  const { dispatch } = runtimeOf([{ ...echo, spec: { ...echo.spec, aliases: ["old/echo"] } }]);
  for (const operation of ["demo/echo", "/demo/echo", "old/echo"]) {
    assert.equal(await dispatch.invoke({ operation, input: { text: "hi" } }), "hi");
  }
});

test("a handler learns who calls, on what, and until when", async () => {
  let seen: OperationContext | undefined;
  const look = defineOperation({
    name: "demo/look",
    type: "query",
    description: "For a test.",
    capabilities: (principal) => new Capabilities({ token: `token of ${principal.id}` }),
    handler: (_input, context) => {
      seen = context;
    },
  });
  const { dispatch } = runtimeOf([look]);
  const before = Date.now();
  const root = {
    identity: ADA,
    requestId: "r-1",
    connection: "c-1",
    forwardedFor: "10.0.0.1",
    metadata: { client: "test" },
    trace: { traceparent: "00-abc-def-01" },
  };
  assert.equal(await dispatch.invoke({ operation: "demo/look" }, root), null, "no output is null");
  assert.ok(seen);
  assert.deepEqual([seen.requestId, seen.parentRequestId, seen.internal], ["r-1", undefined, false]);
  assert.deepEqual([seen.principal, seen.identity], [ADA, ADA]);
  assert.deepEqual(
    [seen.connection, seen.forwardedFor, seen.metadata],
    ["c-1", "10.0.0.1", { client: "test" }],
  );
  assert.deepEqual(seen.trace, { traceparent: "00-abc-def-01" });
  assert.equal(seen.capabilities.get("token"), "token of ada");
  // Two clocks are read one after the other, and each is rounded.
  assert.ok(seen.deadline && seen.deadline >= before + 29_998 && seen.deadline <= Date.now() + 30_002);
});

test("a subscription is not called, and a query is not subscribed to", async () => {
  const { dispatch } = runtimeOf([echo, ticks]);
  const called = await failure(dispatch.invoke({ operation: "demo/ticks" }));
  assert.equal(called.code, "INVALID_OPERATION_TYPE");
  assert.match(called.message, /demo\/ticks is a subscription.*POST \/subscribe/);
  const subscribed = await failure(dispatch.invokeStreaming({ operation: "demo/echo", input: { text: "" } }));
  assert.equal(subscribed.code, "INVALID_OPERATION_TYPE");
  assert.match(subscribed.message, /demo\/echo is a query.*Call it/);
});

test("a name that is not there gets the nearest ones that are", async () => {
  const { dispatch } = runtimeOf([echo, ticks]);
  const error = await failure(dispatch.invoke({ operation: "demo/ehco" }));
  assert.equal(error.code, "NOT_FOUND");
  assert.match(error.message, /no operation "demo\/ehco"\. Did you mean demo\/echo\?/);
  const elsewhere = await failure(dispatch.invoke({ operation: "wrong-place/Echo" }));
  assert.deepEqual(elsewhere.details, { suggestions: ["demo/echo"] });
  const nothing = await failure(dispatch.invoke({ operation: "x".repeat(5_000) }));
  assert.ok(nothing.message.length < 400, "a long name is cut");
  assert.equal(nothing.details, undefined);
});

test("input that does not fit is told where, what was expected, and how to call", async () => {
  let ran = false;
  const strict = defineOperation({
    name: "demo/strict",
    type: "mutation",
    description: "For a test.",
    inputSchema: {
      type: "object",
      properties: { title: { type: "string" }, count: { type: "integer" } },
      required: ["title"],
      additionalProperties: false,
    },
    handler: () => {
      ran = true;
    },
  });
  const { dispatch } = runtimeOf([strict]);
  const error = await failure(
    dispatch.invoke({ operation: "demo/strict", input: { titel: "x", count: "3" } }),
  );
  assert.equal(error.code, "INVALID_INPUT");
  assert.match(error.message, /\/title: expected string \(required\), got nothing/);
  assert.match(error.message, /\/count: expected integer, got "3"/);
  assert.match(error.message, /did you mean "title"\?/);
  assert.match(error.message, /Call it as demo\/strict\(title: string, count\?: integer\)/);
  assert.equal((error.details as { problems: unknown[] }).problems.length, 3);
  assert.equal(ran, false);
});

test("a schema that cannot be used refuses the call and does not blame the input", async () => {
  const logged: string[] = [];
  const log = {
    warn: (message: string) => logged.push(message),
    error: (message: string) => logged.push(message),
  };
  const endless = defineOperation({
    name: "demo/endless",
    type: "query",
    description: "For a test.",
    inputSchema: { $ref: "#" },
    handler: () => "ran",
  });
  const { dispatch } = runtimeOf([endless], { log });
  const error = await failure(dispatch.invoke({ operation: "demo/endless" }));
  assert.equal(error.code, "INTERNAL");
  assert.match(error.message, /input schema of demo\/endless cannot be used/);
  assert.deepEqual(logged, ["An input schema cannot be used"]);
});

test("an input that takes too long to check is an invalid input, and nothing is logged", async () => {
  const logged: string[] = [];
  const keep = (message: string) => logged.push(message);
  const node = { $ref: "#/$defs/node" };
  const tree = defineOperation({
    name: "demo/tree",
    type: "query",
    description: "For a test.",
    inputSchema: {
      ...node,
      $defs: { node: { type: "object", properties: { a: { anyOf: [node, { allOf: [node] }] } } } },
    },
    handler: () => "ran",
  });
  const { dispatch } = runtimeOf([tree], { log: { warn: keep, error: keep } });
  const input = Array.from({ length: 55 }).reduce<unknown>((a) => ({ a }), 1);
  const error = await failure(dispatch.invoke({ operation: "demo/tree", input }));
  assert.equal(error.code, "INVALID_INPUT");
  assert.match(error.message, /^The input is too complex for the schema of demo\/tree.* Simplify it/);
  assert.deepEqual(logged, []);
});

test("a resource is checked against the input before the handler runs", async () => {
  const close = defineOperation({
    name: "demo/close",
    type: "mutation",
    description: "For a test.",
    access: { resource: { type: "project", action: "close", idPath: "/project/id" } },
    inputSchema: { type: "object" },
    handler: () => "closed",
  });
  const { dispatch } = runtimeOf([close]);
  const as = (resources: Record<string, string[]>) => ({ identity: { ...ADA, resources } });
  const call = (id: unknown) => ({ operation: "demo/close", input: { project: { id } } });

  assert.equal(await dispatch.invoke(call("p1"), as({ "project:p1": ["close"] })), "closed");
  assert.equal(await dispatch.invoke(call(7), as({ "project:*": ["*"] })), "closed");
  const refused: [unknown, Record<string, string[]>][] = [
    ["p2", { "project:p1": ["close"] }],
    ["p1", { "project:p1": ["read"] }],
    ["*", { "project:p1": ["close"] }],
    [undefined, { "project:*": ["*"] }],
    [{ a: 1 }, { "project:*": ["*"] }],
    ["p1", {}],
  ];
  for (const [id, resources] of refused) {
    assert.equal(
      (await failure(dispatch.invoke(call(id), as(resources)))).code,
      "FORBIDDEN",
      JSON.stringify(id),
    );
  }
  assert.equal((await failure(dispatch.invoke(call("p1")))).code, "FORBIDDEN");
});

test("a running call keeps the snapshot that it started with", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const helper = (answer: string) =>
    defineOperation({
      name: "demo/helper",
      type: "query",
      description: "For a test.",
      handler: () => answer,
    });
  const composing = defineOperation({
    name: "demo/composing",
    type: "query",
    description: "For a test.",
    composes: ["demo/helper"],
    handler: async (_input, { env }) => {
      await gate;
      return env.invoke("demo/helper");
    },
  });
  const { dispatch, registry } = runtimeOf([composing, helper("old")]);
  const running = dispatch.invoke({ operation: "demo/composing" });
  registry.apply({ replace: [{ source: { name: "test" }, registrations: [helper("new")] }] });
  release();
  assert.equal(await running, "old");
  assert.equal(await dispatch.invoke({ operation: "demo/helper" }), "new");
});

test("progress and questions reach the root caller where its wire can carry them", async () => {
  const asking = defineOperation({
    name: "demo/asking",
    type: "mutation",
    description: "For a test.",
    handler: async (_input, context) => {
      context.progress({ progress: 1, total: 2 });
      return context.requestInput({ key: "name", message: "Who?", schema: { type: "string" } });
    },
  });
  const { dispatch } = runtimeOf([asking]);
  const updates: unknown[] = [];
  const answer = await dispatch.invoke(
    { operation: "demo/asking" },
    {
      progress: (update) => updates.push(update),
      requestInput: async ({ key }) => ({ action: "accept", content: key }),
    },
  );
  assert.deepEqual(answer, { action: "accept", content: "name" });
  assert.deepEqual(updates, [{ progress: 1, total: 2 }]);
  const refused = await failure(dispatch.invoke({ operation: "demo/asking" }));
  assert.equal(refused.code, "INVALID_OPERATION_TYPE");
  assert.match(refused.message, /asks for input while it runs, which this client cannot answer/);
});

test("every call is audited once, with who, what and how it ended, and nothing of the data", async () => {
  const entries: AuditEntry[] = [];
  const { dispatch } = runtimeOf([echo, ticks], { audit: (entry) => entries.push(entry) });
  await dispatch.invoke(
    { operation: "/demo/echo", input: { text: "s3cret" } },
    { identity: ADA, requestId: "r-1", trace: { traceparent: "00-abc-def-01" } },
  );
  await failure(dispatch.invoke({ operation: "demo/none", input: { text: "s3cret" } }));
  for await (const _tick of await dispatch.invokeStreaming({ operation: "demo/ticks" }));
  assert.deepEqual(
    entries.map(({ principal, operation, outcome }) => [principal, operation, outcome]),
    [
      ["ada", "demo/echo", "ok"],
      ["anonymous", "demo/none", "NOT_FOUND"],
      ["anonymous", "demo/ticks", "ok"],
    ],
  );
  assert.deepEqual([entries[0]?.requestId, entries[0]?.traceparent], ["r-1", "00-abc-def-01"]);
  assert.ok(!JSON.stringify(entries).includes("s3cret"));
  const forwardedFor = "x".repeat(4_000);
  await dispatch.invoke({ operation: "demo/echo", input: { text: "" } }, { forwardedFor });
  assert.equal(entries.at(-1)?.forwardedFor, `${"x".repeat(199)}…`, "what others say is cut");
});
