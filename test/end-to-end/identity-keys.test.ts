import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { AuthorizationServer } from "../support/authorization-server.ts";
import { freePort } from "../support/free-port.ts";
import { AUDIENCE, issuerConfig, startIdentityGateway } from "../support/identity-gateway.ts";
import { scaled } from "../support/scale.ts";

async function startServer(t: TestContext, port = 0): Promise<AuthorizationServer> {
  const server = await AuthorizationServer.start({ port, scopes: ["read"] });
  t.after(() => server.close().catch(() => {}));
  return server;
}

test("tokens signed with a new key are taken at once, and those of the old one for as long as it is published", async (t) => {
  const server = await startServer(t);
  const { call } = await startIdentityGateway(t, { issuers: [issuerConfig(server)] });
  const before = await server.tokenFor(AUDIENCE);
  assert.equal((await call("vault/whoami", before)).status, 200);
  await server.rotate({ keepOld: true });
  assert.equal((await call("vault/whoami", await server.tokenFor(AUDIENCE))).status, 200);
  assert.equal((await call("vault/whoami", before)).status, 200);
});

test("a key that is taken back takes what was checked with it along", async (t) => {
  const server = await startServer(t);
  const { call } = await startIdentityGateway(t, { issuers: [issuerConfig(server)] });
  const before = await server.tokenFor(AUDIENCE);
  assert.equal((await call("vault/whoami", before)).status, 200);
  await server.rotate();
  assert.equal((await call("vault/whoami", await server.tokenFor(AUDIENCE))).status, 200);
  assert.equal((await call("vault/whoami", before)).status, 401);
});

test("any number of tokens with made-up keys makes the issuer answer a handful of requests", async (t) => {
  const server = await startServer(t);
  const { call } = await startIdentityGateway(t, { issuers: [issuerConfig(server)] });
  const good = await server.tokenFor(AUDIENCE);
  assert.equal((await call("vault/whoami", good)).status, 200);
  const forged = await Promise.all(
    Array.from({ length: scaled(60, 300) }, (_, index) =>
      server.forge(AUDIENCE, { header: { kid: `made-up-${index}` } }),
    ),
  );
  const answers = await Promise.all(forged.map((token) => call("vault/whoami", token)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401]);
  assert.ok(server.asked("/jwks") <= 4, `asked ${server.asked("/jwks")} times`);
  assert.equal((await call("vault/whoami", good)).status, 200);
});

test("an issuer that is down at the start makes its tokens wait, not wrong, until it is up", async (t) => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { call, logged } = await startIdentityGateway(t, { issuers: [issuerConfig({ issuer })] });
  const stand = await AuthorizationServer.start({ scopes: ["read"] });
  t.after(() => stand.close());
  const early = await stand.forge(AUDIENCE, { claims: { iss: issuer } });
  const down = await call("vault/whoami", early);
  assert.deepEqual([down.status, down.error?.code], [503, "UNAVAILABLE"]);
  assert.ok(Number(down.headers.get("retry-after")) >= 1);
  assert.equal(down.headers.get("www-authenticate"), null, "a client must not throw its token away");
  assert.match(logged(), /The keys of an issuer cannot be read/);

  const server = await startServer(t, port);
  const token = await server.tokenFor(AUDIENCE);
  const deadline = Date.now() + 15_000;
  let status = 503;
  while (status === 503 && Date.now() < deadline) ({ status } = await call("vault/whoami", token));
  assert.equal(status, 200);
});

test("an issuer that goes down later takes nobody along: its keys are known", async (t) => {
  const server = await startServer(t);
  const { call } = await startIdentityGateway(t, { issuers: [issuerConfig(server)] });
  const [used, unused] = [await server.tokenFor(AUDIENCE), await server.tokenFor(AUDIENCE, "read")];
  assert.equal((await call("vault/whoami", used)).status, 200);
  const unknownKey = await server.forge(AUDIENCE, { header: { kid: "new" } });
  await server.close();
  assert.equal((await call("vault/whoami", used)).status, 200);
  assert.equal((await call("vault/read", unused)).output, "read");
  assert.equal((await call("vault/whoami", unknownKey)).status, 401);
});

test("metadata that names another issuer is not believed, and neither are redirects", async (t) => {
  const server = await startServer(t);
  const lying = await serveDocuments(t, () => ({
    body: { issuer: server.issuer, jwks_uri: `${server.issuer}/jwks` },
  }));
  const leading = await serveDocuments(t, (path) => ({ location: `${server.issuer}${path}` }));
  for (const [issuer, reason] of [
    [lying, /is that of .*, not of/],
    [leading, /answered 302/],
  ] as const) {
    const { call, logged } = await startIdentityGateway(t, { issuers: [issuerConfig({ issuer })] });
    const token = await server.forge(AUDIENCE, { claims: { iss: issuer } });
    assert.equal((await call("vault/whoami", token)).status, 503);
    assert.match(logged(), reason);
  }
});

test("keys are found by RFC 8414 metadata, below a path, and where the config says", async (t) => {
  const server = await startServer(t);
  const asked: string[] = [];
  const origin = await serveDocuments(t, (path) => {
    asked.push(path);
    if (path === "/keys") return { body: { keys: [server.publicJwk] } };
    if (path !== "/.well-known/oauth-authorization-server/tenant") return undefined;
    return { body: { issuer: `${origin}/tenant`, jwks_uri: `${origin}/keys` } };
  });
  const issuer = `${origin}/tenant`;
  const token = await server.forge(AUDIENCE, { claims: { iss: issuer } });

  const discovered = await startIdentityGateway(t, { issuers: [issuerConfig({ issuer })] });
  assert.equal((await discovered.call("vault/whoami", token)).status, 200);
  assert.deepEqual(asked, [
    "/tenant/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/tenant",
    "/keys",
  ]);

  const given = { jwksUri: `${server.issuer}/jwks` };
  const configured = await startIdentityGateway(t, { issuers: [issuerConfig({ issuer }, given)] });
  assert.equal((await configured.call("vault/whoami", token)).status, 200);
  assert.equal(asked.length, 3);
});

/** Serves what a function says for each path, and answers its origin. */
async function serveDocuments(
  t: TestContext,
  answer: (path: string) => { readonly body?: object; readonly location?: string } | undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    const { body, location } = answer(request.url ?? "") ?? {};
    if (location) response.writeHead(302, { location }).end();
    else if (body) response.end(JSON.stringify(body));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
