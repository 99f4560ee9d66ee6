import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { AuthorizationServer, MACHINE } from "../support/authorization-server.ts";
import { startOauthGateway } from "../support/oauth-gateway.ts";
import { type ProtectedUpstream, serveProtected } from "../support/protected-upstream.ts";

const OAUTH = {
  grant: "client_credentials",
  clientId: MACHINE.client_id,
  clientSecret: { file: "./client.secret" },
};
const FILES = { "client.secret": MACHINE.client_secret };

describe("a source with an account of its own", () => {
  let server: AuthorizationServer;
  before(async () => {
    server = await AuthorizationServer.start({ scopes: ["read", "write"] });
  });
  after(() => server.close());

  async function start(t: TestContext, oauth: object = {}, issuers: string[] = [server.issuer]) {
    const upstream = await serveProtected(server, { scopes: ["read"], issuers });
    t.after(() => upstream.close());
    const gateway = await startOauthGateway(t, upstream, { oauth: { ...OAUTH, ...oauth }, files: FILES });
    return { upstream, ...gateway };
  }

  test("a source with an account of its own gets tokens where the server says, for that server, and uses them for everything", async (t) => {
    const asked = server.asked("/token");
    const { call, until, upstream, logged } = await start(t);
    await until("healthy");
    const answers = await Promise.all(Array.from({ length: 10 }, () => call("up/whoami")));
    for (const { output } of answers)
      assert.deepEqual(output, { sub: MACHINE.client_id, client_id: MACHINE.client_id });
    assert.deepEqual(upstream.refused, [401], "only the first request went without a token");
    assert.equal(server.asked("/token"), asked + 1);
    const [[token, { aud, scope }] = ["", {}]] = [...upstream.tokens];
    assert.deepEqual([aud, scope], [upstream.url.href, "read"]);
    for (const secret of [token, MACHINE.client_secret]) assert.ok(!logged().includes(secret));
  });

  test("a source with an account of its own gets a new token where one is refused, once for all calls", async (t) => {
    const { call, until, upstream } = await start(t);
    await until("healthy");
    const asked = server.asked("/token");
    upstream.refuse([...upstream.tokens.keys()][0] ?? "");
    const answers = await Promise.all(Array.from({ length: 20 }, () => call("up/whoami")));
    assert.deepEqual(
      answers.filter(({ error }) => error),
      [],
    );
    assert.equal(server.asked("/token"), asked + 1);
    assert.equal(upstream.tokens.size, 2);
  });

  test("a source with an account of its own asks for the scopes that a call needs, and says it where that does not help", async (t) => {
    const { call, until, upstream } = await start(t);
    await until("healthy");
    upstream.needs(["write"]);
    assert.equal((await call("up/whoami")).error, undefined);
    assert.equal([...upstream.tokens.values()].at(-1)?.scope, "read write");
    upstream.needs(["write", "never"]);
    const { error } = await call("up/whoami");
    assert.equal(error?.code, "UNAUTHORIZED_UPSTREAM");
    assert.match(
      error?.message ?? "",
      /the client machine may not have the scopes that are needed \(write never\)\. Check sources\.up\.oauth/,
    );
    upstream.needs(["write"]);
    assert.equal((await call("up/whoami")).error, undefined, "what the client has is still good");
  });

  test("a source with an account of its own is unhealthy with what to do where its secret is wrong, which is told nowhere", async (t) => {
    const upstream = await serveProtected(server);
    t.after(() => upstream.close());
    const wrong = "not the secret of the machine";
    const { until, logged } = await startOauthGateway(t, upstream, {
      oauth: OAUTH,
      files: { "client.secret": wrong },
    });
    const { code, reason } = await until("unhealthy");
    assert.deepEqual(
      [code, reason],
      [
        "UNAUTHORIZED",
        "up: the authorization server gave no token for the client (invalid_client). Check clientId and clientSecret in sources.up.oauth.",
      ],
    );
    assert.ok(!logged().includes(wrong));
  });

  test("a source with an account of its own sends its secret to no authorization server that the server names later", async (t) => {
    const thief = await AuthorizationServer.start({ scopes: ["read"] });
    t.after(() => thief.close());
    const issuers = [server.issuer];
    const { call, until, upstream } = await start(t, {}, issuers);
    await until("healthy");
    issuers[0] = thief.issuer;
    upstream.refuse([...upstream.tokens.keys()][0] ?? "");
    const { error } = await call("up/whoami");
    assert.match(
      error?.message ?? "",
      /names another authorization server, which would get the credential of the client/,
    );
    assert.equal(thief.asked("/token"), 0);
    assert.equal((await until("unhealthy")).operations, 1, "what was imported stays listed");
  });

  test("a source with an account of its own asks the one authorization server that is configured, or none", async (t) => {
    const other = await AuthorizationServer.start();
    t.after(() => other.close());
    const { until } = await start(t, { issuer: other.issuer });
    assert.match(
      (await until("unhealthy")).reason ?? "",
      /another authorization server than sources\.up\.oauth\.issuer/,
    );
    assert.equal(other.asked("/token"), 0);
    const right = await start(t, { issuer: server.issuer });
    await right.until("healthy");
  });

  test("a source with an account of its own contacts no host in a private network without allowPrivate", async (t) => {
    const upstream = await serveProtected(server);
    t.after(() => upstream.close());
    const mcp = upstream.url.href.replace("http://127.0.0.1", "https://localhost");
    const source = { mcp, external: "*", oauth: OAUTH };
    const { until } = await startOauthGateway(t, upstream, {
      files: FILES,
      more: { sources: { up: source } },
    });
    assert.equal((await until("unhealthy")).code, "TRANSPORT");
    assert.deepEqual(upstream.refused, []);
  });
});

test("tokens are renewed before they end", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const server = await AuthorizationServer.start({ scopes: ["read"], tokenSeconds: 3 });
  const upstream: ProtectedUpstream = await serveProtected(server, { scopes: ["read"] });
  t.after(async () => {
    await upstream.close();
    await server.close();
  });
  const { call, until } = await startOauthGateway(t, upstream, { oauth: OAUTH, files: FILES });
  await until("healthy");
  while (upstream.tokens.size < 3) {
    assert.equal((await call("up/whoami")).error, undefined);
    t.mock.timers.tick(100);
  }
  assert.deepEqual(upstream.refused, [401], "no token was used after its end");
});
