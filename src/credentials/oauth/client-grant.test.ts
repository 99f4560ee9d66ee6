import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { jwtVerify } from "jose";
import { readSigningKey } from "../index.ts";
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

/** A grant with proofs, at a token service that answers as given and shows what it was sent. */
function setUpProofs(
  options: Pick<ConstructorParameters<typeof ClientGrant>[0], "client"> & { readonly dpop?: boolean },
  answer: (form: URLSearchParams) => Promise<object> | object,
) {
  const sent: { readonly repeatable: boolean; readonly proof: string | undefined }[] = [];
  const outbound = {
    fetch: async (url: string | URL) =>
      DOCUMENTS[String(url)] ? Response.json(DOCUMENTS[String(url)]) : new Response(null, { status: 404 }),
    async send(request: {
      readonly body?: unknown;
      readonly headers?: unknown;
      readonly repeatable: boolean;
    }) {
      const headers = request.headers as Readonly<Record<string, string>>;
      sent.push({ repeatable: request.repeatable, proof: headers.dpop });
      const given = await answer(new URLSearchParams(String(request.body)));
      return {
        status: "error" in given ? 400 : 200,
        headers: new Headers({ "dpop-nonce": "next" }),
        body: { text: async () => JSON.stringify(given) } as never,
      };
    },
  };
  const common = { name: "up", server: SERVER, issuer: undefined, scopes: [], secrets: [] };
  return { grant: new ClientGrant({ ...common, ...options, outbound, advice: "Check the clock." }), sent };
}

test("a client that signs is refused by a server whose clock is hours ahead, and by none whose clock is right", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = readSigningKey(String(privateKey.export({ format: "pem", type: "pkcs8" })), { keyId: "k1" });
  for (const aheadMs of [0, 3_600_000]) {
    const { grant, sent } = setUpProofs({ client: { clientId: "gateway", key } }, async (form) => {
      const currentDate = new Date(Date.now() + aheadMs);
      const wanted = { issuer: "gateway", subject: "gateway", audience: "https://login.test", currentDate };
      const checked = await jwtVerify(form.get("client_assertion") ?? "", publicKey, wanted).catch(
        () => undefined,
      );
      if (!checked) return { error: "invalid_client" };
      assert.deepEqual(checked.protectedHeader, { alg: "ES256", typ: "JWT", kid: "k1" });
      return { access_token: "good" };
    });
    if (aheadMs === 0) assert.equal((await grant.renew(undefined, UNKNOWN)).token, "good");
    else
      await assert.rejects(grant.renew(undefined, UNKNOWN), {
        message:
          "up: the authorization server gave no token for the client (invalid_client). Check the clock.",
      });
    assert.deepEqual(
      sent,
      [{ repeatable: false, proof: undefined }],
      "a server would refuse it a second time",
    );
  }
});

test("a token request with a secret alone may be repeated, and one with a proof of a key may not", async () => {
  const client = { clientId: "gateway", clientSecret: "secret of the client" };
  const plain = setUpProofs({ client }, () => ({ access_token: "a" }));
  await plain.grant.renew(undefined, UNKNOWN);
  assert.deepEqual(plain.sent, [{ repeatable: true, proof: undefined }]);
  const bound = setUpProofs({ client, dpop: true }, () => ({ access_token: "a", token_type: "DPoP" }));
  const held = await bound.grant.renew(undefined, UNKNOWN);
  assert.equal(bound.sent[0]?.repeatable, false);
  assert.ok(bound.sent[0]?.proof);
  assert.equal(held.dpop?.nonceFor("https://login.test/token"), "next");
});

test("a nonce that a token service asks for is used once, and not tried for ever", async () => {
  const client = { clientId: "gateway", clientSecret: "secret of the client" };
  let refusals = 1;
  const once = setUpProofs({ client, dpop: true }, () =>
    refusals-- > 0 ? { error: "use_dpop_nonce" } : { access_token: "a", token_type: "DPoP" },
  );
  assert.equal((await once.grant.renew(undefined, UNKNOWN)).token, "a");
  const [first, second] = once.sent.map(({ proof }) => JSON.parse(atob(proof?.split(".")[1] ?? "")));
  assert.deepEqual([first.nonce, second.nonce], [undefined, "next"]);
  assert.notEqual(first.jti, second.jti);
  const always = setUpProofs({ client, dpop: true }, () => ({ error: "use_dpop_nonce" }));
  await assert.rejects(always.grant.renew(undefined, UNKNOWN), /\(use_dpop_nonce\)/);
  assert.equal(always.sent.length, 4, "as a header and in the body, each with one retry");
});

test("a token that is not bound to a key is refused if the operator asks for bound ones", async () => {
  const client = { clientId: "gateway", clientSecret: "secret of the client" };
  for (const answer of [{ access_token: "a" }, { access_token: "a", token_type: "Bearer" }]) {
    const { grant, sent } = setUpProofs({ client, dpop: true }, () => answer);
    await assert.rejects(grant.renew(undefined, UNKNOWN), {
      message:
        "up: the authorization server gave a token that is not bound to a key, so it was not used. Remove sources.up.oauth.dpop if such tokens will do.",
    });
    assert.equal(sent.length, 1);
  }
});
