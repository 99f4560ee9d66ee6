import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { AuthorizationServer, DESK, PERSON } from "../support/authorization-server.ts";
import { browse } from "../support/browser.ts";
import { type OauthGateway, revoke, runLogin, SOURCE, startOauthGateway } from "../support/oauth-gateway.ts";
import { type ProtectedUpstream, serveProtected } from "../support/protected-upstream.ts";

describe("a source that somebody logs in to", () => {
  let server: AuthorizationServer;
  before(async () => {
    server = await AuthorizationServer.start({ scopes: ["read", "write"] });
  });
  after(() => server.close());

  const startUpstream = async (t: TestContext): Promise<ProtectedUpstream> => {
    const upstream = await serveProtected(server, { scopes: ["read"] });
    t.after(() => upstream.close());
    return upstream;
  };

  test("a source that somebody logs in to is unhealthy with what to do until somebody has, and then works without a restart", async (t) => {
    const upstream = await startUpstream(t);
    const gateway = await startOauthGateway(t, upstream);
    const { code, reason } = await gateway.until("unhealthy");
    assert.deepEqual(
      [code, reason],
      [
        "UNAUTHORIZED",
        "up: there is no login yet. The operator of this gateway should run: pinhole login up",
      ],
    );
    assert.deepEqual(upstream.refused, [], "nothing was sent");

    const { code: exit, said } = await runLogin(t, gateway.directory);
    assert.equal(exit, 0, said);
    assert.match(said, new RegExp(`Logged in to up at ${server.issuer}. It is renewed by itself.`));
    await gateway.until("healthy");
    const { output } = await gateway.call("up/whoami");
    assert.equal((output as { sub: string }).sub, PERSON);
    await assertSecret(gateway, said);
  });

  test("a source that somebody logs in to keeps its login where only its owner can read it, and out of version control", async (t) => {
    const { directory, until } = await startOauthGateway(t, await startUpstream(t));
    await runLogin(t, directory);
    await until("healthy");
    const logins = join(directory, ".pinhole", "logins");
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    assert.equal(await modeOf(join(directory, ".pinhole")), "700");
    assert.equal(await modeOf(logins), "700");
    assert.equal(await modeOf(join(logins, "up.json")), "600");
    assert.deepEqual((await readdir(logins)).sort(), [".gitignore", "up.json"]);

    const { said } = await runLogin(t, directory, ["--list"]);
    assert.match(said, /^up at http:\S+\. It is renewed by itself\. Scopes: read offline_access\.$/);
    assert.equal((await runLogin(t, directory, [SOURCE, "--forget"])).code, 0);
    assert.match((await until("unhealthy")).reason ?? "", /there is no login yet.*pinhole login up/);
    assert.match((await runLogin(t, directory, ["--list"])).said, /There are no logins/);
    const again = await runLogin(t, directory, [SOURCE, "--forget"]);
    assert.deepEqual([again.code, again.said], [1, "There is no login of up."]);
  });

  test("a source that somebody logs in to stays listed when its login ends, says what to do, and works again after the next one", async (t) => {
    const upstream = await startUpstream(t);
    const gateway = await startOauthGateway(t, upstream);
    await runLogin(t, gateway.directory);
    await gateway.until("healthy");
    const login = await gateway.login();
    await revoke(server, login);
    upstream.refuse(login.accessToken);
    const { error } = await gateway.call("up/whoami");
    assert.equal(error?.code, "UNAUTHORIZED_UPSTREAM");
    const advice =
      /the authorization server does not renew the login \(invalid_grant\)\. The operator of this gateway should run: pinhole login up$/;
    assert.match(error?.message ?? "", advice);
    const { reason, code, operations } = await gateway.until("unhealthy");
    assert.match(reason ?? "", advice);
    assert.deepEqual([code, operations], ["UNAUTHORIZED", 1]);
    await assertSecret(gateway, JSON.stringify(error));

    assert.equal((await runLogin(t, gateway.directory)).code, 0);
    await gateway.until("healthy");
    assert.equal((await gateway.call("up/whoami")).error, undefined);
  });

  test("a source that somebody logs in to gets the scopes that a call turns out to need by logging in again as it is told", async (t) => {
    const upstream = await startUpstream(t);
    const gateway = await startOauthGateway(t, upstream);
    await runLogin(t, gateway.directory);
    await gateway.until("healthy");
    upstream.needs(["write"]);
    const { error } = await gateway.call("up/whoami");
    const [, scopes = ""] = /pinhole login up --scopes "([^"]*)"$/.exec(error?.message ?? "") ?? [];
    assert.deepEqual([error?.code, scopes], ["UNAUTHORIZED_UPSTREAM", "read offline_access write"]);
    assert.equal((await runLogin(t, gateway.directory, [SOURCE, "--scopes", scopes])).code, 0);
    const answer = await gateway.call("up/whoami");
    assert.equal(answer.error, undefined);
    assert.equal([...upstream.tokens.values()].at(-1)?.scope, "read write");
    upstream.needs(["write", "unknown"]);
    assert.match(
      (await gateway.call("up/whoami")).error?.message ?? "",
      /pinhole login up --scopes "read offline_access write unknown"/,
    );
  });

  test("a source that somebody logs in to takes no answer that does not know the state, and goes on to wait for the one that does", async (t) => {
    const { directory } = await startOauthGateway(t, await startUpstream(t));
    const asked = server.asked("/token");
    const statuses: number[] = [];
    const { code } = await runLogin(t, directory, [SOURCE], async (page) => {
      const back = await browse(page);
      const foreign = new URL(back);
      foreign.searchParams.set("state", "made up");
      for (const address of [foreign, new URL("/favicon.ico", back), new URL("/callback", back)])
        statuses.push((await fetch(address)).status);
      assert.equal(server.asked("/token"), asked, "no code was redeemed");
      statuses.push((await fetch(back)).status);
    });
    assert.deepEqual([code, ...statuses], [0, 400, 400, 400, 200]);
  });

  test("a source that somebody logs in to takes no answer of another authorization server (RFC 9207)", async (t) => {
    const { directory } = await startOauthGateway(t, await startUpstream(t));
    const asked = server.asked("/token");
    for (const change of ["https://evil.example.test", undefined]) {
      const { code, said } = await runLogin(t, directory, [SOURCE], async (page) => {
        const back = await browse(page);
        if (change === undefined) back.searchParams.delete("iss");
        else back.searchParams.set("iss", change);
        assert.equal((await fetch(back)).status, 400);
      });
      assert.equal(code, 1);
      assert.match(said, /up: the answer is not from the authorization server that was asked \(RFC 9207\)/);
      assert.doesNotMatch(said, /evil/);
    }
    assert.equal(server.asked("/token"), asked);
    await assert.rejects(stat(join(directory, ".pinhole", "logins", "up.json")));
  });

  test("a source that somebody logs in to says what is wrong with a login that cannot be made", async (t) => {
    const { directory } = await startOauthGateway(t, await startUpstream(t), {
      more: {
        sources: {
          up: { mcp: "http://127.0.0.1:9/mcp", allowPrivate: true, oauth: {} },
          far: { mcp: "http://127.0.0.1:9/mcp" },
        },
      },
    });
    const complaint = async (...words: string[]) => (await runLogin(t, directory, words)).said;
    assert.match(await complaint(), /Say which source: pinhole login github/);
    assert.match(await complaint("upp"), /There is no source "upp"\. Did you mean up\?/);
    assert.match(await complaint("far"), /far needs no login\. Write oauth: \{\} under sources\.far/);
    assert.match(await complaint("up"), /http:\/\/127\.0\.0\.1:9\/mcp cannot be reached/);
    assert.match(await complaint("up", "--wait", "soon"), /--wait takes a number of seconds/);
  });

  test("a source that somebody logs in to needs no registration for a client that is configured", async (t) => {
    const upstream = await startUpstream(t);
    const gateway = await startOauthGateway(t, upstream, { oauth: { clientId: DESK.client_id } });
    const registered = server.asked("/reg");
    assert.equal((await runLogin(t, gateway.directory)).code, 0);
    await gateway.until("healthy");
    assert.deepEqual((await gateway.call("up/whoami")).output, { sub: PERSON, client_id: DESK.client_id });
    assert.equal(server.asked("/reg"), registered);
  });

  test("a source that somebody logs in to does not wait for a browser for ever", async (t) => {
    const { directory } = await startOauthGateway(t, await startUpstream(t));
    const { code, said } = await runLogin(t, directory, [SOURCE, "--wait", "0.2"], async () => {});
    assert.equal(code, 1);
    assert.match(said, /up: the login was not finished in time\.$/);
  });

  test("a source that somebody logs in to gets a new token by itself where the server refuses the old one, once for all calls", async (t) => {
    const upstream = await startUpstream(t);
    const gateway = await startOauthGateway(t, upstream);
    await runLogin(t, gateway.directory);
    await gateway.until("healthy");
    const asked = server.asked("/token");
    upstream.refuse((await gateway.login()).accessToken);
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.call("up/whoami")));
    assert.deepEqual(
      answers.filter(({ error }) => error),
      [],
    );
    assert.equal(server.asked("/token"), asked + 1);
  });
});

/** No token of a login is in anything that was logged or said. */
async function assertSecret(gateway: OauthGateway, said: string): Promise<void> {
  const { accessToken, refreshToken } = await gateway.login();
  for (const secret of [accessToken, refreshToken]) {
    assert.ok(secret.length > 20);
    assert.ok(!gateway.logged().includes(secret) && !said.includes(secret));
  }
}
