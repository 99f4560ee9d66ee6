import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { AuthorizationServer, MACHINE, PERSON } from "../support/authorization-server.ts";
import { createDpopGuard, type DpopGuard } from "../support/dpop-guard.ts";
import { runLogin, startOauthGateway } from "../support/oauth-gateway.ts";
import { serveProtected } from "../support/protected-upstream.ts";

const ACCOUNT = {
  grant: "client_credentials",
  clientId: MACHINE.client_id,
  clientSecret: { file: "./client.secret" },
};
const FILES = { "client.secret": MACHINE.client_secret };

describe("a source whose tokens are bound to a key", () => {
  let server: AuthorizationServer;
  let guard: DpopGuard;
  before(async () => {
    server = await AuthorizationServer.start({ scopes: ["read"], dpopNonce: true });
  });
  after(() => server.close());

  async function start(t: TestContext, oauth: object) {
    guard = createDpopGuard();
    const upstream = await serveProtected(server, { scopes: ["read"], dpop: guard });
    t.after(() => upstream.close());
    const gateway = await startOauthGateway(t, upstream, { oauth, files: FILES });
    return { upstream, ...gateway };
  }

  test("a source whose tokens are bound to a key proves the key with each request, and never twice by the same proof", async (t) => {
    const { call, until, upstream, logged } = await start(t, { ...ACCOUNT, dpop: true });
    await until("healthy");
    const asked = server.asked("/token");
    const answers = await Promise.all(Array.from({ length: 30 }, () => call("up/whoami")));
    for (const { output } of answers)
      assert.deepEqual(output, { sub: MACHINE.client_id, client_id: MACHINE.client_id });
    assert.equal(server.asked("/token"), asked, "one token for all of them");
    assert.ok(guard.proofs.length >= 30);
    assert.equal(new Set(guard.proofs.map(({ jti }) => jti)).size, guard.proofs.length);
    assert.deepEqual(upstream.refused, [401], "only the first request went without a token");
    for (const token of upstream.tokens.keys()) assert.ok(!logged().includes(token));
  });

  test("a source whose tokens are bound to a key takes the nonce of the server, and the next one when that changes", async (t) => {
    const { call, until, upstream } = await start(t, { ...ACCOUNT, dpop: true });
    await until("healthy");
    const tokens = server.asked("/token");
    for (const nonce of ["one", "another"]) {
      guard.nonce = nonce;
      const refused = upstream.refused.length;
      for (let calls = 0; calls < 3; calls++) assert.equal((await call("up/whoami")).error, undefined);
      assert.equal(guard.proofs.at(-1)?.nonce, nonce);
      assert.equal(upstream.refused.length, refused + 1, "once, and remembered after that");
    }
    assert.equal(server.asked("/token"), tokens, "the token itself was good");
  });

  test("a source whose tokens are bound to a key loses nothing to a thief who replays a request", async (t) => {
    const { call, until, upstream } = await start(t, { ...ACCOUNT, dpop: true });
    const seen: Headers[] = [];
    const check = guard.refusalOf;
    guard.refusalOf = function (request, ...rest) {
      seen.push(request.headers);
      return check.call(this, request, ...rest);
    };
    await until("healthy");
    assert.equal((await call("up/whoami")).error, undefined);
    const stolen = seen.at(-1) ?? assert.fail("nothing was sent");
    const [token = "", proof = ""] = [stolen.get("authorization"), stolen.get("dpop")].map(String);
    for (const headers of [
      { authorization: token, dpop: proof },
      { authorization: token.replace("DPoP", "Bearer") },
    ])
      assert.equal((await fetch(upstream.url, { method: "POST", headers, body: "{}" })).status, 401);
    assert.equal((await call("up/whoami")).error, undefined);
  });

  test("a source whose tokens are bound to a key says to check the clock where the server refuses its proofs", async (t) => {
    const { call, until } = await start(t, { ...ACCOUNT, dpop: true });
    await until("healthy");
    guard.aheadMs = 3_600_000;
    const advice =
      /^up: the server refuses the proof of the token's key \(DPoP\)\. Check the clock of this machine\.$/;
    const { error } = await call("up/whoami");
    assert.equal(error?.code, "UNAUTHORIZED_UPSTREAM");
    assert.match((await until("unhealthy")).reason ?? "", advice);
  });

  test("a source without dpop says to set it where the server takes no other tokens", async (t) => {
    const { until } = await start(t, ACCOUNT);
    const { code, reason } = await until("unhealthy");
    assert.deepEqual(
      [code, reason],
      [
        "UNAUTHORIZED",
        "up: the server takes only tokens that are bound to a key (DPoP). Set dpop: true in sources.up.oauth.",
      ],
    );
  });

  test("a login with dpop is bound to a key that is kept with it, and is renewed by that key", async (t) => {
    const gateway = await start(t, { dpop: true });
    const { directory, until, call, upstream, logged } = gateway;
    const { code, said } = await runLogin(t, directory);
    assert.equal(code, 0, said);
    await until("healthy");
    assert.equal(((await call("up/whoami")).output as { sub: string }).sub, PERSON);
    const { accessToken } = await gateway.login();
    upstream.refuse(accessToken);
    const answers = await Promise.all(Array.from({ length: 30 }, () => call("up/whoami")));
    for (const { error } of answers) assert.equal(error, undefined);
    const renewed = await gateway.login();
    assert.notEqual(renewed.accessToken, accessToken);
    const text = await readFile(join(directory, ".pinhole", "logins", "up.json"), "utf8");
    const { d } = JSON.parse(text).login.key;
    for (const secret of [d, accessToken, renewed.accessToken, renewed.refreshToken])
      assert.ok(!`${logged()}${said}`.includes(secret));
  });

  test("a login that was made without dpop is not used once it is set", async (t) => {
    const plain = await serveProtected(server, { scopes: ["read"] });
    t.after(() => plain.close());
    const gateway = await startOauthGateway(t, plain);
    await runLogin(t, gateway.directory);
    await gateway.until("healthy");
    const source = { mcp: plain.url.href, allowPrivate: true, external: "*", oauth: { dpop: true } };
    await gateway.write({ sources: { up: source } });
    await gateway.gateway.reload();
    assert.equal(
      (await gateway.until("unhealthy")).reason,
      "up: the login was made without dpop. The operator of this gateway should run: pinhole login up",
    );
  });
});
