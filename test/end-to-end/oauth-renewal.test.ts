import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { AuthorizationServer } from "../support/authorization-server.ts";
import { type OauthGateway, runLogin, startOauthGateway } from "../support/oauth-gateway.ts";
import { type ProtectedUpstream, serveProtected } from "../support/protected-upstream.ts";

interface Stage {
  readonly server: AuthorizationServer;
  readonly upstream: ProtectedUpstream;
  pass(milliseconds: number): void;
}

describe("the tokens of a login", () => {
  /** Time stands still unless it is told to pass, so that no token ends because the machine is slow. */
  async function prepare(t: TestContext, tokenSeconds: number): Promise<Stage> {
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const server = await AuthorizationServer.start({ scopes: ["read"], tokenSeconds });
    const upstream = await serveProtected(server, { scopes: ["read"] });
    t.after(async () => {
      await upstream.close();
      await server.close().catch(() => {});
    });
    return { server, upstream, pass: (milliseconds) => t.mock.timers.tick(milliseconds) };
  }

  /** Calls until the upstream has seen so many tokens; no call may fail. */
  async function callUntil(tokens: number, { upstream, pass }: Stage, ...gateways: readonly OauthGateway[]) {
    while (upstream.tokens.size < tokens) {
      const answers = await Promise.all(gateways.map(({ call }) => call("up/whoami")));
      for (const { error } of answers) assert.equal(error, undefined);
      pass(100);
    }
  }

  test("the tokens of a login are renewed before they end, and what is kept is renewed with them", async (t) => {
    const stage = await prepare(t, 3);
    const gateway = await startOauthGateway(t, stage.upstream);
    await runLogin(t, gateway.directory);
    await gateway.until("healthy");
    const first = await gateway.login();
    const refusals = stage.upstream.refused.length;
    await callUntil(3, stage, gateway);
    assert.equal(stage.upstream.refused.length, refusals, "no token was used after its end");
    const last = await gateway.login();
    assert.notEqual(last.accessToken, first.accessToken);
    assert.notEqual(last.refreshToken, first.refreshToken, "the authorization server takes each one once");
    assert.ok(!gateway.logged().includes(last.refreshToken));
  });

  test("the tokens of a login are renewed by one of several gateways for all of them", async (t) => {
    const stage = await prepare(t, 3);
    const one = await startOauthGateway(t, stage.upstream);
    const directory = `${one.directory}/.pinhole/logins`;
    const other = await startOauthGateway(t, stage.upstream, { more: { logins: { directory } } });
    await runLogin(t, one.directory);
    await Promise.all([one.until("healthy"), other.until("healthy")]);
    const asked = stage.server.asked("/token");
    await callUntil(4, stage, one, other);
    assert.equal(stage.server.asked("/token") - asked, 3, "each refresh token was used once");
    assert.equal((await one.source()).state, "healthy");
    assert.equal((await other.source()).state, "healthy");
  });

  test("the tokens of a login are used to their end while the authorization server is down", async (t) => {
    const stage = await prepare(t, 6);
    const gateway = await startOauthGateway(t, stage.upstream);
    await runLogin(t, gateway.directory);
    await gateway.until("healthy");
    // From here on the upstream knows its keys, and the authorization server is not there any more.
    assert.equal((await gateway.call("up/whoami")).error, undefined);
    await stage.server.close();
    for (let passed = 0; passed < 4_500; passed += 100) {
      assert.equal((await gateway.call("up/whoami")).error, undefined);
      stage.pass(100);
    }
  });

  test("the tokens of a login survive a restart of the gateway", async (t) => {
    const stage = await prepare(t, 300);
    const one = await startOauthGateway(t, stage.upstream);
    await runLogin(t, one.directory);
    await one.until("healthy");
    await one.gateway.close();
    const directory = `${one.directory}/.pinhole/logins`;
    const again = await startOauthGateway(t, stage.upstream, { more: { logins: { directory } } });
    await again.until("healthy");
    assert.equal((await again.call("up/whoami")).error, undefined);
    assert.equal(stage.upstream.tokens.size, 1);
  });
});
