import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { connectPeer } from "pinhole/client";
import { newToken } from "../../src/identity/index.ts";
import { CALL_PATH } from "../../src/projections/to-call/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { answerOf, postModern } from "../support/mcp-wire.ts";

const WRITE = {
  operation: "notes/add",
  description: "Writes into the diary.",
  rename: { entry: "text" },
};
const DIARY = {
  tools: { "diary/write": WRITE, "diary/milk": { operation: "notes/add", input: { text: "milk" } } },
};
const EXPOSED = { facets: { diary: DIARY }, mcp: { expose: ["core", "query", "diary"] } };

async function start(t: TestContext, config: object) {
  const started = await startConfig(t, config);
  const ask = async (method: string, params: Record<string, unknown>, path = "") =>
    answerOf(await postModern(new URL(`${started.mcpUrl.href}${path}`), method, params));
  return {
    ...started,
    tools: async (path?: string) => {
      const { result } = await ask("tools/list", {}, path);
      return result?.tools as { name: string; description: string; inputSchema: object }[];
    },
    call: async (name: string, args: object = {}, path?: string) => {
      const { result, error } = await ask("tools/call", { name, arguments: args }, path);
      return JSON.stringify(result?.structuredContent ?? error);
    },
    http: async (operation: string, input: object = {}) =>
      JSON.stringify(await (await postJson(`${started.url}/call`, { operation, input })).json()),
  };
}

test("a tool of a facet has a name, a description and arguments of its own, and runs on every wire", async (t) => {
  const { tools, call, http, url, logged } = await start(t, EXPOSED);
  const listed = (await tools()).filter(({ name }) => name.startsWith("diary"));
  assert.deepEqual(
    listed.map(({ name, description }) => [name, description]),
    [
      ["diary_write", "Writes into the diary."],
      ["diary_milk", "Adds a note."],
    ],
  );
  assert.deepEqual(listed[0]?.inputSchema, {
    type: "object",
    properties: { entry: { type: "string" } },
    required: ["entry"],
    additionalProperties: false,
  });
  const input = { entry: "sun" };
  assert.equal(await call("diary_write", input), '{"text":"sun"}');
  assert.equal(await call("diary_milk"), '{"text":"milk"}');
  for (const operation of ["diary/write", "/diary/write", "diary_write"])
    assert.equal(await call("call", { operation, input }), '{"output":{"text":"sun"}}');
  const batch = await call("batch", {
    calls: [{ operation: "diary_write", input }, { operation: "diary/milk" }],
  });
  assert.match(batch, /"sun".*"milk"/);
  assert.match(await http("diary/write", input), /"output":\{"text":"sun"\}/);
  const peer = await connectPeer(new URL(CALL_PATH, url.replace("http", "ws")).href);
  t.after(() => peer.close());
  assert.deepEqual(await peer.call("diary/write", input), { text: "sun" });
  assert.match(logged(), /"operation":"notes\/add","preset":"diary\/write"/);
  for (const name of ["diary/write", "diary_write"])
    assert.match(await call("schema", { name }), /"entry":\{"type":"string"\}/);
  assert.doesNotMatch(await call("schema", { name: "diary/write" }), /missing/);
});

test("a wrong input of a preset is told by the names that its callers know", async (t) => {
  const { call } = await start(t, EXPOSED);
  const wrong = await call("diary_write", { entry: 7 });
  assert.match(wrong, /INVALID_INPUT.*does not fit diary\/write.*\/entry: expected string, got number 7/);
  assert.doesNotMatch(wrong, /notes\/add|"\/text"/);
  assert.match(await call("diary_write", { text: "x" }), /INVALID_INPUT/);
  assert.match(await call("diary_milk", { text: "beer" }), /INVALID_INPUT.*\/text/);
});

test("an endpoint of a facet reaches an operation by its presets alone", async (t) => {
  const { tools, call } = await start(t, { facets: { diary: DIARY } });
  const names = (await tools("/diary")).map(({ name }) => name);
  assert.deepEqual(names.slice(4), ["diary_write", "diary_milk"]);
  assert.equal(await call("diary_write", { entry: "sun" }, "/diary"), '{"text":"sun"}');
  const direct = { operation: "notes/add", input: { text: "x" } };
  assert.match(await call("call", direct, "/diary"), /NOT_FOUND/);
  assert.match(await call("schema", { name: "notes/add" }, "/diary"), /"missing":\["notes\/add"\]/);
});

test("deny on the name of a preset ends the preset alone, and on its operation both", async (t) => {
  const { call, tools, reload } = await start(t, { ...EXPOSED, deny: ["diary/write"] });
  const add = { operation: "notes/add", input: { text: "x" } };
  const write = { operation: "diary/write", input: { entry: "x" } };
  assert.ok(!(await tools()).some(({ name }) => name === "diary_write"));
  assert.match(await call("call", write), /NOT_FOUND/);
  assert.match(await call("schema", { name: "diary/write" }), /missing/);
  assert.match(await call("call", add), /output/);
  await reload({ ...EXPOSED, deny: ["notes/add"] });
  for (const wanted of [write, add]) assert.match(await call("call", wanted), /NOT_FOUND/);
});

test("the rights, the type and the policy of the operation hold for its presets", async (t) => {
  const { token, tokenHash } = newToken();
  const facets = {
    diary: { ...DIARY, mutations: "dry" },
    labels: { tools: { "labels/show": { operation: "tags/list" } } },
  };
  const { call, tools, url } = await start(t, {
    facets,
    mcp: { expose: ["core", "query", "diary", "labels"] },
    identities: [{ id: "ada", tokenHash, scopes: ["tags"] }],
  });
  assert.match(await call("diary_write", { entry: "x" }), /"dryRun":true,"operation":"diary\/write"/);
  assert.match(
    await call("query", { operation: "diary/write", input: { entry: "x" } }),
    /diary\/write is a mutation/,
  );
  assert.ok(!(await tools()).some(({ name }) => name === "labels_show"));
  const refused = await call("call", { operation: "labels/show" });
  assert.match(refused, /FORBIDDEN.*labels\/show/);
  assert.doesNotMatch(refused, /tags\/list/);
  assert.match(await call("schema", { name: "labels/show" }), /missing/);
  const allowed = await postJson(`${url}/call`, { operation: "labels/show" }, { token });
  assert.deepEqual(((await allowed.json()) as { output: unknown }).output, { tags: [] });
});

test("a preset that cannot work is withheld with the reason, until its operation fits", async (t) => {
  const tools = {
    "later/one": { operation: "slow/thing" },
    "odd/pick": { operation: "notes/add", pick: ["txt"] },
    "odd/type": { operation: "notes/add", input: { text: 7 } },
    "notes/list": { operation: "notes/add" },
  };
  const started = await start(t, { facets: { odd: { tools } }, mcp: { expose: ["core", "odd"] } });
  assert.deepEqual((await started.tools()).map(({ name }) => name).slice(4), []);
  for (const name of ["later/one", "odd/pick", "odd/type"])
    assert.match(await started.call("call", { operation: name }), /NOT_FOUND/, name);
  assert.match(await started.call("call", { operation: "notes/list" }), /"notes":/);
  const log = started.logged();
  assert.match(log, /later\/one.*its operation slow\/thing is not there/);
  assert.match(log, /odd\/pick.*notes\/add has no argument txt to pick/);
  assert.match(log, /odd\/type.*the fixed text does not fit notes\/add: expected string, got number 7/);
  assert.match(log, /notes\/list.*an operation has this name/);
});

test("a preset that contradicts itself is refused when the config is read, with its place", async (t) => {
  const refuses = (tools: object, message: RegExp) =>
    assert.rejects(startConfig(t, { facets: { odd: { tools } } }), message);
  await refuses({ plain: { operation: "notes/add" } }, /odd.*plain.*is not of the form namespace\/name/s);
  await refuses({ "store/x": { operation: "notes/add" } }, /namespace store/);
  await refuses(
    { "a/b": { operation: "notes/add", input: { text: 1 }, pick: ["text"] } },
    /text is fixed by input/,
  );
  await refuses(
    { "a/b": { operation: "notes/add", rename: { x: "text", y: "text" } } },
    /gives text two names/,
  );
  await refuses(
    { "a/b": { operation: "a/c" }, "a/c": { operation: "notes/add" } },
    /a\/c is a tool of a facet itself/,
  );
  await refuses({ "a/b": { operation: "notes/add", picks: [] } }, /picks/);
});
