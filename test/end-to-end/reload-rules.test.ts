import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";

/** A server that takes connections and never says a word; told to whoever waits when the first one comes. */
async function serveSilence(t: TestContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  const visited = once(server, "connection");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, visited };
}

test("who is taken out of the config is refused before its new sources are awaited", async (t) => {
  const silence = await serveSilence(t);
  const [ada, bob] = [newToken(), newToken()];
  const identities = [
    { id: "ada", tokenHash: ada.tokenHash },
    { id: "bob", tokenHash: bob.tokenHash },
  ];
  const { reload, url } = await startConfig(t, { identities });
  const statusFor = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ operation: "notes/list" });
    return (await fetch(`${url}/call`, { method: "POST", headers, body })).status;
  };
  assert.equal(await statusFor(ada.token), 200);

  const sources = { silent: { mcp: silence.url, allowPrivate: true, external: "*" } };
  const reloading = reload({ identities: identities.slice(1), sources });
  await silence.visited;
  assert.deepEqual([await statusFor(ada.token), await statusFor(bob.token)], [401, 200]);
  await reloading;
});
