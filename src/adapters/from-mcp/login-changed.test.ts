import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptedFetch } from "../../../test/support/scripted-upstream/index.ts";
import { AuthorizationFailure, type OauthCredential } from "../../credentials/oauth/index.ts";
import { McpConnection } from "./connection.ts";

for (const era of ["legacy", "modern"] as const) {
  test(`after another login a ${era} server gets a new session, and the call runs in it`, async () => {
    const { outbound, seen } = scriptedFetch(era);
    let login = "1";
    const failure = () => new AuthorizationFailure("none", true);
    const oauth: OauthCredential = {
      token: async () => ({ token: `token ${login}`, login }),
      renew: () => Promise.reject(failure()),
      giveUp: failure,
      secrets: () => [],
    };
    const connection = new McpConnection({
      url: new URL("https://example.test/mcp"),
      token: undefined,
      oauth,
      outbound,
      version: "0",
    });
    const call = () =>
      connection.use((client) => client.callTool({ name: "a", arguments: {} }), { isRepeatable: false });
    await call();
    login = "2";
    await call();
    await connection.close();

    const bySession = new Map<string | null, Set<string | null>>();
    for (const { headers, rpc } of seen) {
      const session = rpc.method === "initialize" ? null : headers.get("mcp-session-id");
      if (session === null) continue;
      bySession.set(session, (bySession.get(session) ?? new Set()).add(headers.get("authorization")));
    }
    for (const tokens of bySession.values()) assert.equal(tokens.size, 1, "no session saw two logins");
    assert.equal(bySession.size, era === "legacy" ? 2 : 0);
    assert.equal(connection.reconnects, 1);
    const calls = seen.filter(({ rpc }) => rpc.method === "tools/call");
    assert.deepEqual(
      calls.map(({ headers }) => headers.get("authorization")),
      ["Bearer token 1", "Bearer token 2"],
    );
  });
}

test("a connection that begins with an old login continues with the new one", async () => {
  const { outbound, seen } = scriptedFetch("modern");
  let login = "1";
  const failure = () => new AuthorizationFailure("none", true);
  const oauth: OauthCredential = {
    token: async () => ({ token: `token ${login}`, login }),
    async renew() {
      login = "2";
      return oauth.token() as ReturnType<OauthCredential["renew"]>;
    },
    giveUp: failure,
    secrets: () => [],
  };
  const refusing: typeof outbound = {
    ...outbound,
    fetch: async (url, init) =>
      new Headers(init?.headers).get("authorization") === "Bearer token 1"
        ? new Response(null, { status: 401 })
        : outbound.fetch(url, init),
  };
  const url = new URL("https://example.test/mcp");
  const connection = new McpConnection({ url, token: undefined, oauth, outbound: refusing, version: "0" });
  await connection.use((client) => client.callTool({ name: "a", arguments: {} }), { isRepeatable: false });
  await connection.close();
  assert.ok(
    seen.length > 0 && seen.every(({ headers }) => headers.get("authorization") === "Bearer token 2"),
  );
});
