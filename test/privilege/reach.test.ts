import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRuntime, defineOperation, definePlugin, type Identity, type Reach } from "pinhole/core";
import { strictest } from "../../src/core/index.ts";

let written = 0;
const write = defineOperation({
  name: "notes/write",
  type: "mutation",
  description: "Writes a note.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: () => ++written,
});
const follow = defineOperation({
  name: "notes/follow",
  type: "subscription",
  mutates: true,
  description: "Writes and tells.",
  async *handler() {
    yield ++written;
  },
});
const read = defineOperation({
  name: "notes/read",
  type: "query",
  description: "Reads the notes.",
  composes: ["notes/*", "services/*"],
  handler: async (_, { env }) => [
    await env.invoke("notes/write", { text: "read" }).catch((error) => error.code),
    await env.invoke("services/list", { namespace: "notes" }),
  ],
});
const { gateway } = createRuntime({
  sources: [definePlugin({ name: "notes", operations: [write, follow, read] })],
  resolveIdentity: async (token) => JSON.parse(token) as Identity,
});
const only = (name: string): Reach => ({
  key: name,
  includes: (spec) => spec.name === name || spec.namespace === "services",
});

async function enter(identity: Partial<Identity> = {}) {
  return gateway.enter(JSON.stringify({ id: "ada", authenticated: true, scopes: [], ...identity }));
}

async function codeOf(answer: Promise<object>): Promise<unknown> {
  const envelope = (await answer) as { error?: { code: string }; output?: unknown };
  return envelope.error?.code ?? envelope.output;
}

describe("a reach", () => {
  test("a reach makes everything outside of it absent: calls, lists, schemas and search", async () => {
    const entrance = (await enter()).within(only("notes/write"));
    assert.equal(await codeOf(entrance.call({ operation: "notes/read" })), "NOT_FOUND");
    const list = await codeOf(entrance.call({ operation: "services/list", input: { namespace: "notes" } }));
    assert.deepEqual(names(list), ["notes/write"]);
    const found = await codeOf(
      entrance.call({ operation: "services/search", input: { query: "reads the notes" } }),
    );
    assert.deepEqual(names(found).includes("notes/read"), false);
    const schema = { operation: "services/schema", input: { name: "notes/read" } };
    assert.deepEqual(await codeOf(entrance.call(schema)), { operations: [], missing: ["notes/read"] });
    const unconfined = await codeOf((await enter()).call({ operation: "services/list" }));
    assert.ok(names(unconfined).includes("notes/read"));
  });

  test("a reach does not limit what an operation composes, but what is shown to it", async () => {
    const entrance = (await enter()).within(only("notes/read"));
    const before = written;
    const [wrote, list] = (await codeOf(entrance.call({ operation: "notes/read" }))) as unknown[];
    assert.equal(wrote, before + 1);
    assert.deepEqual(names(list), ["notes/read"]);
  });
});

describe("mutations", () => {
  const call = { operation: "notes/write", input: { text: "hello" } };

  test("mutations that run dry are checked like any call, then nothing happens and the answer says so", async () => {
    const before = written;
    const entrance = await enter({ mutations: "dry" });
    assert.deepEqual(await codeOf(entrance.call(call)), {
      dryRun: true,
      operation: "notes/write",
      message: "The call is valid and would have run. Nothing was changed: mutations run dry here.",
    });
    assert.equal(await codeOf(entrance.call({ operation: "notes/write", input: {} })), "INVALID_INPUT");
    const items: unknown[] = [];
    for await (const item of await entrance.subscribe({ operation: "notes/follow" })) items.push(item);
    assert.deepEqual(
      items.map((item) => (item as { dryRun: boolean }).dryRun),
      [true],
    );
    assert.equal(written, before);
  });

  test("mutations that a composition reaches end a dry run there, and the caller is told what was reached", async () => {
    const before = written;
    const entrance = await enter({ mutations: "dry" });
    const answer = (reached: string) => ({
      dryRun: true,
      operation: "notes/read",
      reached,
      message: `notes/read ran up to ${reached}, which would have changed something. Nothing was changed: mutations run dry here.`,
    });
    assert.deepEqual(await codeOf(entrance.call({ operation: "notes/read" })), answer("notes/write"));
    const confined = entrance.within(only("notes/read"));
    assert.deepEqual(await codeOf(confined.call({ operation: "notes/read" })), answer("a step"));
    assert.equal(written, before);
  });

  test("denied mutations are hidden from search, forbidden to call, and refused in compositions", async () => {
    const before = written;
    const entrance = await enter({ mutations: "deny" });
    assert.equal(await codeOf(entrance.call(call)), "FORBIDDEN");
    const list = await codeOf(entrance.call({ operation: "services/list", input: { namespace: "notes" } }));
    assert.deepEqual(names(list), ["notes/read"]);
    const [composed] = (await codeOf(entrance.call({ operation: "notes/read" }))) as unknown[];
    assert.equal(composed, "FORBIDDEN");
    assert.equal(written, before);
  });

  test("the policy for mutations follows the endpoint too, and the stricter of the two wins", async () => {
    const dry: Reach = { key: "dry", includes: () => true, mutations: () => "dry" };
    const before = written;
    assert.equal(
      ((await codeOf((await enter()).within(dry).call(call))) as { dryRun: boolean }).dryRun,
      true,
    );
    assert.equal(await codeOf((await enter({ mutations: "deny" })).within(dry).call(call)), "FORBIDDEN");
    assert.equal(written, before);
    assert.equal(strictest([]), "allow");
    assert.equal(strictest([undefined, "dry", "allow"]), "dry");
  });
});

function names(answer: unknown): readonly string[] {
  return (answer as { operations: { name: string }[] }).operations.map(({ name }) => name);
}
