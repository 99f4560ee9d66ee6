import assert from "node:assert/strict";
import { test } from "node:test";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { serveSilence } from "../support/silence.ts";

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
