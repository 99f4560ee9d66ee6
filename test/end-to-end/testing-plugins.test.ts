import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation } from "pinhole/core";
import { runOperation } from "pinhole/testing";

const base = { name: "demo/run", type: "query", description: "For a test." } as const;

test("an operation runs in a test with defaults, schemas and access as in a gateway", async () => {
  const operation = defineOperation({
    ...base,
    visibility: "internal",
    inputSchema: { type: "object", properties: { n: { type: "integer", default: 1 } } },
    outputSchema: { type: "integer", maximum: 5 },
    access: { scopes: ["math"] },
    handler: ({ n }) => n * 2,
  });
  const identity = { scopes: ["math"] };
  assert.equal(await runOperation(operation, {}, { identity }), 2);
  await assert.rejects(runOperation(operation, { n: "x" }, { identity }), { code: "INVALID_INPUT" });
  await assert.rejects(runOperation(operation, { n: 3 }, { identity }), { code: "OUTPUT_INVALID" });
  await assert.rejects(runOperation(operation), { code: "FORBIDDEN" });
});

test("secrets, the network and composed operations are those of the test", async () => {
  const operation = defineOperation({
    ...base,
    composes: ["other/one"],
    handler: async (_input, { capabilities, env, fetch, principal }) => [
      principal.id,
      capabilities.get("KEY")?.length,
      await env.invoke("other/one", { a: 1 }),
      await (await fetch("https://example.com/")).text(),
    ],
  });
  const answer = await runOperation(operation, undefined, {
    identity: { id: "ada" },
    capabilities: { KEY: "a-secret" },
    env: { "other/one": (input) => ({ got: input }) },
    fetch: async () => new Response("page"),
  });
  assert.deepEqual(answer, ["ada", 8, { got: { a: 1 } }, "page"]);
});

test("a subscription answers its items, and a dry run changes nothing", async () => {
  const stream = defineOperation({
    ...base,
    type: "subscription",
    async *handler() {
      yield* [1, 2];
    },
  });
  assert.deepEqual(await runOperation(stream), [1, 2]);
  let changes = 0;
  const change = defineOperation({ ...base, type: "mutation", handler: () => ++changes });
  await runOperation(change, {}, { dryRun: true });
  assert.equal(changes, 0);
  assert.equal(await runOperation(change), 1);
});
