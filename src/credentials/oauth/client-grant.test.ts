import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientGrant } from "./client-grant.ts";
import { AuthorizationFailure } from "./credential.ts";

const SERVER = new URL("https://tools.test/mcp");

const DOCUMENTS: Readonly<Record<string, unknown>> = {
  "https://tools.test/.well-known/oauth-protected-resource/mcp": {
    resource: SERVER.href,
    authorization_servers: ["https://login.test"],
    scopes_supported: ["read"],
  },
  "https://login.test/.well-known/oauth-authorization-server": {
    issuer: "https://login.test",
    authorization_endpoint: "https://login.test/authorize",
    token_endpoint: "https://login.test/token",
    response_types_supported: ["code"],
  },
};

/** A grant whose authorization server refuses the scope `never`, and counts what it is asked. */
function setUp() {
  const asked: (string | null)[] = [];
  const world = { status: 200 };
  const outbound = {
    fetch: async (url: string | URL) =>
      DOCUMENTS[String(url)] ? Response.json(DOCUMENTS[String(url)]) : new Response(null, { status: 404 }),
    async send({ body }: { readonly body?: unknown }) {
      const scope = new URLSearchParams(String(body)).get("scope");
      asked.push(scope);
      const isRefused = scope?.includes("never") === true;
      const answer = isRefused ? { error: "invalid_scope" } : { access_token: `${scope} ${asked.length}` };
      return {
        status: isRefused ? 400 : world.status,
        headers: new Headers(),
        body: { text: async () => JSON.stringify(answer) } as never,
      };
    },
  };
  const grant = new ClientGrant({
    name: "up",
    server: SERVER,
    issuer: undefined,
    outbound,
    client: { clientId: "gateway", clientSecret: "secret of the client" },
    scopes: [],
    advice: "Check clientId and clientSecret in sources.up.oauth.",
    secrets: ["secret of the client"],
  });
  return { grant, asked, world };
}

const UNKNOWN = { resourceMetadataUrl: undefined, scopes: [], lacksScopes: false };
const lacking = (...scopes: string[]) => ({ resourceMetadataUrl: undefined, scopes, lacksScopes: true });

test("there is no token before the server asks for one", async () => {
  const { grant, asked } = setUp();
  assert.equal(await grant.token(), undefined);
  assert.deepEqual(await grant.renew(undefined, UNKNOWN), { token: "read 1", login: "client" });
  assert.deepEqual(await grant.token(), { token: "read 1", login: "client" });
  assert.deepEqual(asked, ["read"]);
});

test("refused scopes leave the current token in use, and are not requested with each call", async () => {
  const { grant, asked } = setUp();
  const held = await grant.renew(undefined, UNKNOWN);
  for (let calls = 0; calls < 3; calls++) {
    await assert.rejects(grant.renew(held, lacking("never")), (error: Error) => {
      assert.ok(error instanceof AuthorizationFailure && !error.needsLogin);
      assert.match(error.message, /the client gateway may not have the scopes that are needed \(never\)/);
      return true;
    });
  }
  assert.deepEqual(await grant.token(), held);
  assert.deepEqual(asked, ["read", "read never"]);
});

test("calls that lack different scopes get all of them in turn", async () => {
  const { grant } = setUp();
  const held = await grant.renew(undefined, UNKNOWN);
  const [one, other] = await Promise.all([
    grant.renew(held, lacking("write")),
    grant.renew(held, lacking("admin")),
  ]);
  assert.match(one.token, /^read write /);
  assert.match(other.token, /^read write admin /);
  assert.deepEqual(grant.secrets(), ["secret of the client", other.token]);
});

test("an authorization server that is down does not count as a refusal, and is asked again", async () => {
  for (const status of [500, 503, 429]) {
    const { grant, asked, world } = setUp();
    world.status = status;
    await assert.rejects(grant.renew(undefined, UNKNOWN), { code: "UNAVAILABLE" });
    assert.equal(asked.length, 1);
    world.status = 200;
    assert.equal((await grant.renew(undefined, UNKNOWN)).token, "read 2");
  }
});
