import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutbound, OutboundError } from "../../outbound/index.ts";
import { type AuthorizationServer, clientFor, findAuthorizationServer } from "./authorization-server.ts";

const SERVER = new URL("https://tools.test/team/mcp");
const RESOURCE = "https://tools.test/.well-known/oauth-protected-resource/team/mcp";
const LOGIN = "https://login.test/.well-known/oauth-authorization-server";

const metadata = (issuer: string, more: object = {}) => ({
  issuer,
  authorization_endpoint: "https://login.test/authorize",
  token_endpoint: "https://login.test/token",
  response_types_supported: ["code"],
  ...more,
});

/** Looks in a world that consists of these documents. */
function find(
  documents: Readonly<Record<string, unknown>>,
  { issuer = undefined as string | undefined, at = undefined as URL | undefined } = {},
) {
  const fetch = async (url: string | URL) => {
    const found = documents[String(url)];
    if (found instanceof Error) throw found;
    if (typeof found === "number") return new Response(null, { status: found });
    return found === undefined ? new Response(null, { status: 404 }) : Response.json(found);
  };
  return findAuthorizationServer(
    { name: "up", server: SERVER, issuer, outbound: { fetch } },
    { resourceMetadataUrl: at },
  );
}

const told = (more: object = {}) => ({
  resource: "https://tools.test/team/mcp",
  authorization_servers: ["https://login.test"],
  scopes_supported: ["read"],
  ...more,
});

test("the authorization server is found by the server's metadata, at its own path or in the challenge", async () => {
  const login = { [LOGIN]: metadata("https://login.test") };
  const at = new URL("https://tools.test/meta");
  for (const found of [
    await find({ ...login, [RESOURCE]: told() }),
    await find({ ...login, "https://tools.test/meta": told() }, { at }),
  ]) {
    assert.equal(found.issuer, "https://login.test");
    assert.deepEqual([found.resource, found.scopes], ["https://tools.test/team/mcp", ["read"]]);
  }
});

test("an older server is its own authorization server", async () => {
  const own = { "https://tools.test/.well-known/oauth-authorization-server": metadata("https://tools.test") };
  const found = await find(own);
  assert.deepEqual([found.issuer, found.resource], ["https://tools.test", undefined]);
});

test("tokens are requested for this server or a path above it only", async () => {
  const world = (resource: string) => ({
    [LOGIN]: metadata("https://login.test"),
    [RESOURCE]: told({ resource }),
  });
  for (const resource of [
    "https://tools.test",
    "https://tools.test/",
    "https://tools.test/team",
    "https://tools.test/team/mcp/",
  ])
    assert.equal((await find(world(resource))).resource, resource);
  for (const resource of [
    "https://evil.test/team/mcp",
    "https://tools.test/tea",
    "https://tools.test/team/mcp/x",
    "http://tools.test/team/mcp",
  ])
    await assert.rejects(
      find(world(resource)),
      /tokens are for another address than https:\/\/tools\.test\/team\/mcp/,
      resource,
    );
});

test("only the configured issuer is used", async () => {
  const world = {
    [LOGIN]: metadata("https://login.test"),
    [RESOURCE]: told({ authorization_servers: ["https://a.test", "https://login.test"] }),
  };
  assert.equal((await find(world, { issuer: "https://login.test" })).issuer, "https://login.test");
  await assert.rejects(
    find(world, { issuer: "https://other.test" }),
    /names another authorization server than sources\.up\.oauth\.issuer/,
  );
});

test("an authorization server with another issuer, or without https, is not trusted", async () => {
  const world = (said: object) => ({ [LOGIN]: said, [RESOURCE]: told() });
  await assert.rejects(find(world(metadata("https://evil.test"))), /calls itself something else/);
  for (const key of ["token_endpoint", "authorization_endpoint", "registration_endpoint"])
    await assert.rejects(
      find(world(metadata("https://login.test", { [key]: "http://login.test/x" }))),
      /not reached over https/,
      key,
    );
  const local = metadata("https://login.test", { token_endpoint: "http://127.0.0.1:1/token" });
  assert.ok(await find(world(local)));
});

test("an authorization server in a private network is not called unless that is allowed", async (t) => {
  const outbound = createOutbound({ allowPrivate: false });
  t.after(() => outbound.close());
  const document = told({ authorization_servers: ["http://127.0.0.1:9"] });
  const fetch = async (url: string | URL, init?: RequestInit) =>
    new URL(url).origin === SERVER.origin ? Response.json(document) : outbound.fetch(url, init);
  await assert.rejects(
    findAuthorizationServer(
      { name: "up", server: SERVER, issuer: undefined, outbound: { fetch } },
      { resourceMetadataUrl: undefined },
    ),
    ({ cause }: Error) => cause instanceof OutboundError && cause.kind === "address-forbidden",
  );
});

test("an authorization server without metadata is reported with advice", async () => {
  await assert.rejects(
    find({ [RESOURCE]: told() }),
    /Set a token instead of oauth, or sources\.up\.oauth\.issuer/,
  );
});

test("an unreachable server is not taken for an older one", async () => {
  const broken = new OutboundError("refused", "No connection.");
  await assert.rejects(find({ [RESOURCE]: broken }), (error: Error) => error.cause === broken);
  await assert.rejects(
    find({ [RESOURCE]: 503 }),
    ({ cause }: Error) => cause instanceof OutboundError && /answered 503/.test(cause.message),
  );
});

const METADATA = {
  issuer: "https://login.test",
  authorization_endpoint: "https://login.test/authorize",
  token_endpoint: "https://login.test/token",
  registration_endpoint: "https://login.test/register",
  response_types_supported: ["code"],
};

/** Asks for a client at a server that says this about itself and answers registrations so. */
async function ask(
  metadata: object,
  { client = undefined as { clientId: string } | undefined, answer = {}, status = 201 } = {},
) {
  const registrations: Record<string, unknown>[] = [];
  const outbound = {
    fetch: async (_: string | URL, init: RequestInit = {}) => {
      registrations.push(JSON.parse(String(init.body)));
      return Response.json({ client_id: "registered", ...answer }, { status });
    },
  };
  const server = { metadata: { ...METADATA, ...metadata } } as unknown as AuthorizationServer;
  const redirectUrl = "http://127.0.0.1:4711/callback";
  const found = await clientFor(server, { name: "up", outbound, client, redirectUrl, scopes: ["read"] });
  return { found, registrations };
}

test("a configured client is used as it is", async () => {
  const client = { clientId: "configured" };
  const { found, registrations } = await ask({}, { client });
  assert.equal(found, client);
  assert.deepEqual(registrations, []);
});

test("a client with a metadata URL registers itself at a server that does not read it", async () => {
  const client = { clientId: "https://example.test/client.json" };
  assert.equal((await ask({ client_id_metadata_document_supported: true }, { client })).found, client);
  assert.equal((await ask({}, { client })).found.clientId, "registered");
});

test("a client registers with its redirect URL and an authentication method of the server", async () => {
  const methods = ["client_secret_post", "client_secret_basic"];
  const answer = { client_secret: "secret", token_endpoint_auth_method: "client_secret_basic" };
  const { found, registrations } = await ask({ token_endpoint_auth_methods_supported: methods }, { answer });
  assert.deepEqual(found, { clientId: "registered", clientSecret: "secret", method: "client_secret_basic" });
  assert.deepEqual(registrations, [
    {
      client_name: "Pinhole",
      application_type: "native",
      redirect_uris: ["http://127.0.0.1:4711/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_basic",
      scope: "read",
    },
  ]);
  const [{ token_endpoint_auth_method } = {}] = (await ask({})).registrations;
  assert.equal(token_endpoint_auth_method, "none");
});

test("without registration the operator is told to register a client", async () => {
  await assert.rejects(
    ask({ registration_endpoint: undefined }),
    /Register one there, with http:\/\/127\.0\.0\.1\/callback as its address on this machine, and set sources\.up\.oauth\.clientId/,
  );
  for (const refusal of [{ status: 403 }, { answer: { client_id: 7 } }])
    await assert.rejects(
      ask({}, refusal),
      /did not register this client \(HTTP \d+\).*sources\.up\.oauth\.clientId/,
    );
});
