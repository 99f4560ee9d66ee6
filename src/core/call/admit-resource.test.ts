import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, BOB, failure, list, portOf, runtimeOf } from "../../../test/support/owned-projects.ts";
import { createRuntime } from "../../runtime.ts";
import type { Identity, Ownership } from "../model/index.ts";
import { defineOperation, definePlugin } from "../model/index.ts";

test("a list receives the ids that the caller has, or those of them that it names", async () => {
  const { dispatch } = runtimeOf(portOf());
  const run = (input: object, identity: Identity) =>
    dispatch.invoke({ operation: "projects/list", input }, { identity });
  assert.deepEqual(await run({}, ADA), ["p1", "p2"]);
  assert.deepEqual(await run({ ids: ["p2"] }, ADA), ["p2"]);
  const both = { ...ADA, resources: { "project:p3": ["read"], "project:p4": ["close"], "team:t": ["read"] } };
  assert.deepEqual(await run({}, both), ["p3", "p1", "p2"]);
  const all = { ...BOB, resources: { "project:*": ["*"] } };
  assert.deepEqual(await run({}, all), ["*"]);
  assert.deepEqual(await run({ ids: ["p7"] }, all), ["p7"]);
  for (const [input, identity] of [
    [{ ids: ["p1", "p9"] }, ADA],
    [{ ids: ["*"] }, ADA],
    [{}, BOB],
    [{ ids: [] }, BOB],
  ] as const)
    assert.equal((await failure(run(input, identity))).code, "FORBIDDEN", JSON.stringify(input));
});

test("a list of more than 1,000 is FORBIDDEN, unless the caller names fewer of them", async () => {
  const ids = Array.from({ length: 1_001 }, (_, number) => `p${number}`);
  const { dispatch } = runtimeOf(portOf([], { list: () => ids }));
  const run = (input: object) => dispatch.invoke({ operation: "projects/list", input }, { identity: ADA });
  const error = await failure(run({}));
  assert.equal(error.code, "FORBIDDEN");
  assert.match(
    error.message,
    /more of type project than can be listed at once. Name at most 1,000 of them in ids/,
  );
  assert.deepEqual(await run({ ids: ["p1000"] }), ["p1000"]);
});

test("static grants alone give a list too", async () => {
  const { dispatch } = createRuntime({ sources: [definePlugin({ name: "p", operations: [list] })] });
  const run = (resources: Record<string, string[]>) =>
    dispatch.invoke({ operation: "projects/list" }, { identity: { ...ADA, resources } });
  assert.deepEqual(await run({ "project:a": ["read"], "project:b": ["*"], "project:c": ["close"] }), [
    "a",
    "b",
  ]);
  assert.equal((await failure(run({ "project:c": ["close"] }))).code, "FORBIDDEN");
});

test("an ownership or a resource that cannot work is refused with what is wrong", () => {
  const { types, owns, list: lists, decides } = portOf();
  const ownerships: [unknown, RegExp][] = [
    [[], /ownership must be an object/],
    [{ types, owns, list: lists }, /ownership.decides must list the types/],
    [{ decides: ["a:b"], types, owns, list: lists }, /ownership.decides must list/],
    [{ decides, types, list: lists }, /ownership.owns must be a function/],
    [{ decides, types, owns, list: lists, owner: 1 }, /ownership.owner has no meaning/],
  ];
  for (const [ownership, message] of ownerships)
    assert.throws(() => runtimeOf(ownership as Ownership), message);
  const resources: [object, RegExp][] = [
    [{ type: "project", action: "read" }, /either idPath.* or list/],
    [{ type: "project", action: "read", idPath: "/id", list: { argument: "ids" } }, /either idPath/],
    [{ type: "project", action: "read", idPath: "id" }, /is a JSON pointer/],
    [{ type: "project", idPath: "/id" }, /without type or action/],
    [{ type: "project", action: "read", list: {} }, /list without an argument/],
    [{ type: "project", action: "read", list: { argument: "names" } }, /its inputSchema does not have/],
    [{ type: "project", action: "read", list: { argument: "all" } }, /requires of callers/],
    [{ type: "project", action: "read", idpath: "/id" }, /access.resource.idpath; a resource knows/],
  ];
  for (const [resource, message] of resources) {
    const operation = defineOperation({
      ...list.spec,
      type: "query",
      access: { resource } as never,
      inputSchema: { type: "object", properties: { ids: {}, all: {} }, required: ["all"] },
      handler: () => "x",
    });
    assert.throws(
      () => createRuntime({ sources: [definePlugin({ name: "p", operations: [operation] })] }),
      message,
    );
  }
});
