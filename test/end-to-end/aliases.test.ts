import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { connectPeer } from "pinhole/client";
import { WebSocket } from "ws";
import { CALL_PATH } from "../../src/projections/to-call/index.ts";
import { toCallResult } from "../../src/projections/to-mcp/results.ts";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { answerOf, postModern } from "../support/mcp-wire.ts";

const ALIASES = { "diary/write": { operation: "notes/add", rename: { entry: "text" } } };
const INPUT = { entry: "sun" };
const NOTE = "diary/write is an old name: use notes/add.";

async function start(t: TestContext, config: object) {
  const started = await startConfig(t, config);
  const ask = async (method: string, params: Record<string, unknown>) =>
    answerOf(await postModern(started.mcpUrl, method, params));
  return {
    ...started,
    ask,
    call: async (name: string, args: object = {}) => {
      const { result, error } = await ask("tools/call", { name, arguments: args });
      return JSON.stringify(result?.structuredContent ?? error);
    },
    http: async (operation: string, input: object = {}) => {
      const answer = (await (await postJson(`${started.url}/call`, { operation, input })).json()) as object;
      return { ...answer, requestId: undefined };
    },
  };
}

test("an old name runs its operation on every wire, and is answered with a note", async (t) => {
  const { call, http, url, logged } = await start(t, { aliases: ALIASES });
  const wanted = { output: { text: "sun" }, note: NOTE };
  const named = { operation: "diary/write", input: INPUT };
  assert.deepEqual(JSON.parse(await call("call", named)), wanted);
  const { results } = JSON.parse(await call("batch", { calls: [named, { operation: "notes/list" }] }));
  assert.deepEqual([results[0].output, results[0].note], [wanted.output, NOTE]);
  assert.ok(!("note" in results[1]));
  assert.deepEqual(await http("diary/write", INPUT), { ...wanted, requestId: undefined });
  const address = new URL(CALL_PATH, url.replace("http", "ws")).href;
  const peer = await connectPeer(address);
  t.after(() => peer.close());
  assert.deepEqual(await peer.call("diary/write", INPUT), wanted.output);
  const answered = await answerOn(address, { operationId: "/diary/write", input: INPUT });
  assert.deepEqual([answered.output, answered.note], [wanted.output, NOTE]);
  assert.match(logged(), /"operation":"notes\/add","preset":"diary\/write"/);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /pinhole_preset_calls_total\{preset="diary\/write"\} 5/);
});

test("an old name is not found, listed or suggested; its schema says what to use", async (t) => {
  const { call, ask } = await start(t, { aliases: ALIASES });
  assert.doesNotMatch(JSON.stringify(await ask("tools/list", {})), /diary/);
  for (const args of [{ query: "diary write" }, { namespace: "diary" }, {}])
    assert.doesNotMatch(await call("search", args), /diary\/write/);
  assert.doesNotMatch(await call("call", { operation: "diary/writ" }), /diary\/write"/);
  assert.doesNotMatch(await call("schema", { name: "diary/writ" }), /diary\/write"/);
  const schema = await call("schema", { name: "diary/write" });
  assert.match(schema, /"entry":\{"type":"string"\}/);
  assert.match(schema, /"deprecated":"notes\/add"/);
});

test("an old name of a subscription streams its items", async (t) => {
  const { url } = await start(t, { aliases: { "diary/follow": { operation: "notes/follow" } } });
  const peer = await connectPeer(new URL(CALL_PATH, url.replace("http", "ws")).href);
  t.after(() => peer.close());
  assert.deepEqual(await peer.subscribe("diary/follow").next(), { done: false, value: 1 });
});

test("a note follows an output that is content as a text of its own", () => {
  const content = [{ type: "text", text: "hi" }];
  const result = toCallResult({ requestId: "1", output: { content }, note: NOTE });
  assert.deepEqual(result.content, [...content, { type: "text", text: NOTE }]);
});

test("deny on an old name ends it alone", async (t) => {
  const { call } = await start(t, { aliases: ALIASES, deny: ["diary/write"] });
  assert.match(await call("call", { operation: "diary/write", input: INPUT }), /NOT_FOUND/);
  assert.match(await call("call", { operation: "notes/add", input: { text: "x" } }), /output/);
});

test("an old name of an operation that its caller may not know answers as an unknown name, byte for byte", async (t) => {
  const aliases = { "diary/tags": { operation: "tags/list" } };
  const facets = { diary: { tools: { "diary/text": { operation: "tags/list" } } } };
  const { http, reload } = await start(t, {
    aliases,
    facets,
    access: { anonymous: true, hideForbidden: true },
  });
  const bytesOf = async (name: string) => JSON.stringify(await http(name)).replaceAll(name, "NAME");
  for (const name of ["diary/tags", "diary/text"])
    assert.equal(await bytesOf(name), await bytesOf("diary/none"), name);
  await reload({ aliases, facets });
  for (const name of ["diary/tags", "diary/text"])
    assert.equal(await bytesOf(name), await bytesOf("tags/list"), name);
});

test("an old name that clashes is refused with both places, or withheld where an operation has it", async (t) => {
  const refuses = (config: object, message: RegExp) => assert.rejects(startConfig(t, config), message);
  const facets = { diary: { tools: ALIASES } };
  await refuses({ aliases: ALIASES, facets }, /aliases.*facets\.diary\.tools has diary\/write too/s);
  const chain = { "a/b": { operation: "a/c" }, "a/c": { operation: "notes/add" } };
  await refuses({ aliases: chain }, /a\/c is an alias itself/);
  await refuses({ aliases: { "services/x": { operation: "notes/add" } } }, /namespace services/);
  const { call, logged } = await start(t, { aliases: { "notes/list": { operation: "notes/add" } } });
  assert.match(await call("call", { operation: "notes/list" }), /"notes":/);
  assert.match(logged(), /An alias is withheld.*notes\/list.*notes\/add.*an operation has this name/);
});

/** The payload of the answer to one call over a bare connection. */
async function answerOn(address: string, payload: object): Promise<{ output?: unknown; note?: unknown }> {
  const socket = new WebSocket(address, ["pinhole.call.v1"]);
  try {
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(Buffer.from(JSON.stringify({ type: "call.requested", id: "1", payload })));
    const text = await new Promise((resolve, reject) =>
      socket.once("message", resolve).once("close", reject),
    );
    return JSON.parse(String(text)).payload;
  } finally {
    socket.close();
  }
}
