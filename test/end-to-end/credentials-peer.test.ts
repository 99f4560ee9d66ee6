import assert from "node:assert/strict";
import { test } from "node:test";
import { hashToken } from "../../src/identity/index.ts";
import { postJson } from "../support/http-wire.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";

const PEOPLE = ["ada", "ben"] as const;
const CALLS = 1_000;

test("a peer is called by each caller's own token, over the one connection that another opened", async (t) => {
  const identity = (id: string, token: string) => ({ id, tokenHash: hashToken(token) });
  const west = await startIdentityGateway(t, {
    identities: [...PEOPLE, "link"].map((id) => identity(`${id} in the west`, `west-token-of-${id}`)),
  });
  const secrets = [...PEOPLE, "link"].map((id) => [`${id}.secret`, `west-token-of-${id}`]);
  const peer = new URL("/call-protocol", west.gateway.url.replace("http", "ws")).href;
  const { gateway, call } = await startIdentityGateway(
    t,
    {
      identities: [...PEOPLE, "eve"].map((id) => identity(id, `own-token-of-${id}`)),
      sources: {
        west: {
          peer,
          allowPrivate: true,
          external: "*",
          credentials: {
            perIdentity: Object.fromEntries(PEOPLE.map((id) => [id, { file: `./${id}.secret` }])),
            discovery: { file: "./link.secret" },
          },
        },
      },
    },
    { files: Object.fromEntries(secrets) },
  );

  const batch = async (who: string) => {
    const calls = Array.from({ length: 50 }, () => ({ operation: "west/vault/whoami" }));
    const response = await postJson(`${gateway.url}/batch`, { calls }, { token: `own-token-of-${who}` });
    const { results } = (await response.json()) as { results: { output?: { id: string } }[] };
    return results.map(({ output }) => output?.id);
  };
  for (let made = 0; made < CALLS; made += 100) {
    const [ada, ben] = await Promise.all(PEOPLE.map(batch));
    assert.deepEqual([...new Set(ada)], ["ada in the west"]);
    assert.deepEqual([...new Set(ben)], ["ben in the west"]);
  }
  const { error } = await call("west/vault/whoami", "own-token-of-eve");
  assert.equal(error?.code, "UNAUTHORIZED_UPSTREAM");
  assert.match(error?.message ?? "", /west has no credential for "eve", so nothing was sent/);
});
