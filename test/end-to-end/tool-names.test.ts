import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { answerOf, postModern } from "../support/mcp-wire.ts";

const EXPOSED = { facets: { notes: ["notes/*", "tags/*"] }, mcp: { expose: ["core", "notes"] } };

async function clientOf(t: TestContext, config: object) {
  const { mcpUrl } = await startConfig(t, config);
  return async (name: string, args: object = {}) => {
    const answer = await answerOf(await postModern(mcpUrl, "tools/call", { name, arguments: args }));
    return JSON.stringify(answer.result?.structuredContent ?? answer.error);
  };
}

test("a name that tools/list shows is understood wherever an operation is named", async (t) => {
  const call = await clientOf(t, { ...EXPOSED, mcp: { expose: ["core", "query", "notes"] } });
  const add = { operation: "notes_add", input: { text: "milk" } };
  assert.equal(await call("call", add), '{"output":{"text":"milk"}}');
  assert.equal(
    await call("tool_invoke", { name: "notes_add", arguments: { text: "tea" } }),
    '{"output":{"text":"tea"}}',
  );
  assert.match(await call("query", { operation: "notes_list" }), /"milk","tea"/);
  assert.match(await call("query", add), /notes\/add is a mutation/);
  assert.match(await call("batch", { calls: [add, { operation: "notes_list" }] }), /"milk","tea","milk"/);
  for (const named of [{ name: "notes_add" }, { names: ["notes_add"] }])
    assert.match(await call("schema", named), /"name":"notes\/add"/);
});

test("a name that tools/list does not show to a caller is no name of an operation for it", async (t) => {
  const identities = [{ id: "ada", tokenHash: newToken().tokenHash, scopes: ["tags"] }];
  const call = await clientOf(t, { ...EXPOSED, identities, access: { anonymous: true } });
  assert.match(await call("call", { operation: "tags_list" }), /NOT_FOUND/);
  const schema = JSON.parse(await call("schema", { name: "tags_list" }));
  assert.deepEqual([schema.operations, schema.missing], [[], ["tags_list"]]);
  assert.ok(!JSON.stringify(schema).includes("tags/list"));
  assert.ok(!(await call("tags_list")).includes("tags/list"));
});

test("an operation that is written like a tool of other gateways is suggested", async (t) => {
  const call = await clientOf(t, {});
  for (const operation of ["notes_add", "notes.add", "notes-add", "notes:add"])
    assert.match(await call("call", { operation }), /Did you mean notes\/add\?/, operation);
});

test("an unknown tool is answered with a call that works, or with none", async (t) => {
  const call = await clientOf(t, {});
  for (const name of ["notes_add", "notes/add"])
    assert.match(await call(name), /run it as call with \{\\"operation\\": \\"notes\/add\\"\}/, name);
  for (const name of ["made_up", "notes/follow"])
    assert.ok(!(await call(name)).includes('\\"operation\\"'), name);
});

test("what streams is not listed over MCP, and a call of it says what carries a stream", async (t) => {
  const call = await clientOf(t, {
    facets: { lists: ["services/list"] },
    mcp: { expose: ["core", "lists"] },
  });
  const asked = [
    ["search", { query: "follow the notes" }],
    ["call", { operation: "services/search", input: { query: "follow the notes" } }],
    ["call", { operation: "/services/search", input: { query: "follow the notes", type: "subscription" } }],
    ["call", { operation: "services/list" }],
    ["batch", { calls: [{ operation: "services/list", input: { names: ["notes/follow"] } }] }],
    ["services_list", {}],
  ] as const;
  for (const [name, args] of asked) {
    const answer = await call(name, args);
    assert.ok(!/notes\/follow|services\/changes|NOT_FOUND|INVALID/.test(answer), answer);
  }
  const refused = await call("call", { operation: "notes/follow" });
  assert.match(refused, /INVALID_OPERATION_TYPE/);
  assert.match(refused, /POST \/subscribe.*call protocol/);
});
