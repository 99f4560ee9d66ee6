import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { defineOperation, definePlugin, type Overlay } from "pinhole/core";
import { hashToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { getJson, postJson } from "../support/http-wire.ts";
import { postModern } from "../support/mcp-wire.ts";
import { codeOf, openPeer } from "../support/peer-client.ts";
import { namesOf } from "../support/peer-process.ts";

const identity = (id: string, scopes: readonly string[] = []) => ({
  id,
  tokenHash: hashToken(`${id}-token`),
  scopes,
});
const CONFIG = { identities: [identity("ada", ["own"]), identity("bob"), identity("eve")] };

/** Ada and Bob have a desk each, under the same names; Eve has none. */
function desks() {
  const ended: string[] = [];
  const overlay: Overlay = async ({ identity: { id }, signal }) => {
    signal.addEventListener("abort", () => ended.push(id));
    if (id !== "ada" && id !== "bob") return undefined;
    return definePlugin({
      name: "desk",
      description: "A desk of one's own.",
      operations: [
        defineOperation({
          name: "desk/papers",
          type: "query",
          description: "Papers on the desk.",
          handler: () => id,
        }),
        defineOperation({
          name: "desk/locked",
          type: "query",
          description: "What is in the drawer.",
          access: { scopes: ["own"] },
          handler: () => `${id}'s`,
        }),
        defineOperation({
          name: "desk/through",
          type: "query",
          description: "By way of the papers.",
          composes: ["desk/papers"],
          handler: (_, { env }) => env.invoke("desk/papers"),
        }),
        defineOperation({
          name: "desk/follow",
          type: "subscription",
          description: "Follows the papers.",
          async *handler() {
            yield id;
          },
        }),
      ],
    });
  };
  return { overlay, ended };
}

async function start(t: TestContext) {
  const { overlay, ended } = desks();
  const started = await startConfig(t, CONFIG, { overlay });
  const http = async (operation: string, caller: string) => {
    const response = await postJson(`${started.url}/call`, { operation }, { token: `${caller}-token` });
    const body = (await response.json()) as { output?: unknown; error?: { code: string } };
    return body.error?.code ?? body.output;
  };
  return { ...started, ended, http };
}

test("each caller has its own overlay, on every wire, and others do not see it", async (t) => {
  const { url, mcpUrl, http } = await start(t);
  for (const id of ["ada", "bob"]) {
    assert.equal(await http("desk/papers", id), id);
    assert.equal(await http("desk/through", id), id, "compositions see it too");
    const peer = await openPeer(t, url, `${id}-token`);
    assert.equal(await peer.call("desk/papers"), id);
    const items: unknown[] = [];
    for await (const item of peer.subscribe("desk/follow")) items.push(item);
    assert.deepEqual(items, [id]);
    const call = { name: "call", arguments: { operation: "desk/papers" } };
    const mcp = await postModern(mcpUrl, "tools/call", call, { token: `${id}-token` });
    assert.match(await mcp.text(), new RegExp(`"output":"${id}"`));
    const found = await getJson(`${url}/search?query=papers+on+the+desk`, { token: `${id}-token` });
    assert.match(await found.text(), /desk\/papers/);
    const schema = await getJson(`${url}/schema?name=desk/papers`, { token: `${id}-token` });
    assert.equal(schema.status, 200);
  }
  assert.equal(await http("desk/papers", "eve"), "NOT_FOUND");
  const found = await getJson(`${url}/search?query=papers+on+the+desk`, { token: "eve-token" });
  assert.ok(!(await found.text()).includes("desk/"));
  const eve = await openPeer(t, url, "eve-token");
  assert.ok(!(await namesOf(eve)).some((name) => name.startsWith("desk/")));
});

test("the rules of access hold within an overlay", async (t) => {
  const { http, reload } = await start(t);
  assert.deepEqual(
    [await http("desk/locked", "ada"), await http("desk/locked", "bob")],
    ["ada's", "FORBIDDEN"],
  );
  await reload({ ...CONFIG, deny: ["desk/papers"] });
  assert.equal(await http("desk/papers", "ada"), "NOT_FOUND");
});

test("an overlay goes with the token of each request, beside what the connection offers", async (t) => {
  const { url } = await start(t);
  const ada = await openPeer(t, url, "ada-token");
  await ada.offer([{ name: "own/one", type: "query", description: "One.", handler: () => 1 }]);
  assert.equal(await ada.call("offers/ada/own/one"), 1);
  assert.equal(await ada.call("desk/papers"), "ada");
  assert.equal(await ada.call("desk/papers", {}, { authToken: "bob-token" }), "bob");
  assert.equal(await codeOf(ada.call("desk/papers", {}, { authToken: "eve-token" })), "NOT_FOUND");
});

test("overlays end with a reload, and callers who are still there get new ones", async (t) => {
  const { http, reload, ended } = await start(t);
  assert.equal(await http("desk/papers", "ada"), "ada");
  await reload({ identities: [identity("ada"), identity("bob")] });
  assert.deepEqual(ended, ["ada"]);
  assert.equal(await http("desk/papers", "ada"), "ada");
  assert.equal(await http("desk/locked", "ada"), "FORBIDDEN", "by the rights of the new config");
});
