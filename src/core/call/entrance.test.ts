import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { Reach } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";
import type { Entrance, Envelope } from "./entrance.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const who = defineOperation({
  name: "demo/who",
  type: "query",
  description: "For a test.",
  handler: (_input, { principal, requestId }) => ({ id: principal.id, requestId }),
});
const broken = defineOperation({
  name: "demo/broken",
  type: "query",
  description: "For a test.",
  handler: () => {
    throw new Error("no");
  },
});
const ticks = defineOperation({
  name: "demo/ticks",
  type: "subscription",
  description: "For a test.",
  async *handler(_input, { principal }) {
    yield principal.id;
  },
});

function gatewayOf(more: Parameters<typeof createRuntime>[0] = {}) {
  return createRuntime({
    sources: [{ source: { name: "test" }, registrations: [who, broken, ticks] }],
    resolveIdentity: async (token) =>
      token === "good" ? { id: "ada", authenticated: true, scopes: [] } : undefined,
    ...more,
  }).gateway;
}

function outputOf(envelope: Envelope): unknown {
  assert.ok("output" in envelope, JSON.stringify(envelope));
  return envelope.output;
}

function codeOf(envelope: object): string {
  assert.ok("error" in envelope, JSON.stringify(envelope));
  return (envelope.error as { code: string }).code;
}

test("a token decides who calls, a missing one is anonymous, and a wrong one is refused", async () => {
  const gateway = gatewayOf();
  const idOf = async (token?: string) =>
    (outputOf(await (await gateway.enter(token)).call({ operation: "demo/who" })) as { id: string }).id;
  assert.equal(await idOf("good"), "ada");
  assert.equal(await idOf(), "anonymous");
  await assert.rejects(gateway.enter("b4d"), (error) => {
    assert.ok(error instanceof CallError);
    assert.ok(!JSON.stringify(error).includes("b4d"), "the token is not repeated");
    return error.code === "FORBIDDEN";
  });
});

test("a gateway without identities refuses every token", async () => {
  await assert.rejects(createRuntime().gateway.enter("any"), { code: "FORBIDDEN" });
});

test("a resolver that cannot answer makes the call fail for now, not for ever", async () => {
  for (const [thrown, code] of [
    [new Error("keys unreachable"), "UNAVAILABLE"],
    [new CallError("RATE_LIMITED", "Slow down."), "RATE_LIMITED"],
  ] as const) {
    const gateway = gatewayOf({ resolveIdentity: () => Promise.reject(thrown) });
    await assert.rejects(gateway.enter("good"), (error) => {
      assert.ok(error instanceof CallError && !JSON.stringify(error).includes("unreachable"));
      return error.code === code;
    });
  }
});

test("the envelope carries the request id that the handler saw", async () => {
  const entrance = await gatewayOf().enter();
  const envelope = await entrance.call({ operation: "demo/who" });
  assert.match(envelope.requestId, UUID);
  assert.equal((outputOf(envelope) as { requestId: string }).requestId, envelope.requestId);
});

test("a batch answers in order, and one failure never fails another", async () => {
  const calls = [
    { operation: "demo/who" },
    { operation: "demo/broken" },
    { operation: "demo/ticks" },
    { operation: "demo/missing" },
    { operation: "demo/who", select: "id" },
    { operation: 7 },
    { operation: "demo/who", select: 7 },
    "demo/who",
    null,
  ];
  const entrance = await gatewayOf().enter("good");
  const envelope = await entrance.batch(calls);
  assert.ok("results" in envelope);
  assert.deepEqual(
    envelope.results.map((result) => ("output" in result ? "ok" : result.error.code)),
    [
      "ok",
      "INTERNAL",
      "INVALID_OPERATION_TYPE",
      "NOT_FOUND",
      "ok",
      "INVALID_INPUT",
      "INVALID_INPUT",
      "INVALID_INPUT",
      "INVALID_INPUT",
    ],
  );
  assert.equal(outputOf(envelope.results[4] as Envelope), "ada");
  assert.equal(new Set(envelope.results.map(({ requestId }) => requestId)).size, calls.length);
});

test("a batch over its size calls nothing", async () => {
  const entrance = await gatewayOf({ maxBatchSize: 2 }).enter();
  const envelope = await entrance.batch(Array(3).fill({ operation: "demo/who" }));
  assert.equal(codeOf(envelope), "INVALID_INPUT");
  assert.match(JSON.stringify(envelope), /takes up to 2 calls; this one has 3\. Nothing was called/);
});

test("a batch runs no more calls at the same time than it may", async () => {
  let running = 0;
  let most = 0;
  const slow = defineOperation({
    name: "demo/slow",
    type: "query",
    description: "For a test.",
    handler: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    },
  });
  const gateway = gatewayOf({
    sources: [{ source: { name: "test" }, registrations: [slow] }],
    batchConcurrency: 3,
  });
  const envelope = await (await gateway.enter()).batch(Array(20).fill({ operation: "demo/slow" }));
  assert.ok("results" in envelope && envelope.results.length === 20);
  assert.equal(most, 3);
});

test("an aborted batch aborts every call of it, fifty on one signal without a warning", async (t) => {
  const warned = t.mock.method(process, "emitWarning", () => {});
  const stuck = defineOperation({
    name: "demo/stuck",
    type: "query",
    description: "For a test.",
    handler: () => new Promise(() => {}),
  });
  const gateway = gatewayOf({
    sources: [{ source: { name: "test" }, registrations: [stuck] }],
    batchConcurrency: 50,
  });
  const caller = new AbortController();
  const pending = (await gateway.enter()).batch(Array(50).fill({ operation: "demo/stuck" }), {
    signal: caller.signal,
  });
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  const envelope = await pending;
  assert.ok("results" in envelope);
  assert.ok(envelope.results.every((result) => codeOf(result) === "ABORTED"));
  assert.equal(warned.mock.callCount(), 0);
});

test("a subscription runs for the caller who presented the token", async () => {
  const entrance = await gatewayOf().enter("good");
  const items = await entrance.subscribe({ operation: "demo/ticks" });
  assert.deepEqual(await items.next(), { done: false, value: "ada" });
});

test("an entrance within two reaches lets through what both do, in any order, and nothing widens it", async () => {
  const reachOf = (key: string, ...names: string[]): Reach => ({
    key,
    includes: ({ name }) => names.includes(name),
  });
  const wide = reachOf("wide", "demo/who", "demo/broken");
  const narrow = reachOf("narrow", "demo/who");
  const entrance = await gatewayOf().enter("good");
  const codes = async (within: Entrance) => [
    "output" in (await within.call({ operation: "demo/who" })),
    codeOf(await within.call({ operation: "demo/broken" })),
  ];
  for (const within of [
    entrance.within(wide).within(narrow),
    entrance.within(narrow).within(wide),
    entrance.within(narrow).within(undefined),
    entrance.within(narrow).within(narrow),
  ])
    assert.deepEqual(await codes(within), [true, "NOT_FOUND"]);
  const strict: Reach = { key: "strict", includes: () => true, mutations: () => "deny" };
  assert.equal(
    entrance
      .within(strict)
      .within(wide)
      .caller.reach?.mutations?.({} as never),
    "deny",
  );
});
