import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type CryptoKey, createLocalJWKSet, generateKeyPair, jwtVerify, SignJWT } from "jose";
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  PERSON,
} from "../support/authorization-server.ts";
import { startOauthGateway } from "../support/oauth-gateway.ts";
import { serveProtected } from "../support/protected-upstream.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

const noRedirects = { redirect_uris: [], response_types: [] };

async function startServer(
  t: TestContext,
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const server = await AuthorizationServer.start({ scopes: ["read"], ...options });
  t.after(() => server.close().catch(() => {}));
  return server;
}

describe("a source for which its platform vouches", () => {
  const PLATFORM = "https://platform.example.test";

  function tokenOf(
    key: CryptoKey,
    audience: string,
    claims: { readonly expires?: string } = {},
  ): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer(PLATFORM)
      .setSubject("workload:gateway")
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(claims.expires ?? "5m")
      .sign(key);
  }

  async function start(t: TestContext, text: (key: CryptoKey, issuer: string) => Promise<string>) {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const server = await startServer(t, {
      clients: [
        {
          client_id: "workload",
          grant_types: [JWT_BEARER],
          token_endpoint_auth_method: "none",
          ...noRedirects,
        },
      ],
      grants: {
        async [JWT_BEARER]({ assertion = "", resource = "" }, self) {
          const audience = self.issuer;
          const checked = await jwtVerify(assertion, publicKey, { issuer: PLATFORM, audience }).catch(
            () => undefined,
          );
          if (!checked) return undefined;
          const { sub = "" } = checked.payload;
          const token = await self.forge(resource, { claims: { sub, client_id: "workload" } });
          return { access_token: token, token_type: "Bearer", expires_in: 60 };
        },
      },
    });
    const upstream = await serveProtected(server, { scopes: ["read"] });
    t.after(() => upstream.close());
    const workloadToken = await text(privateKey, server.issuer);
    const gateway = await startOauthGateway(t, upstream, {
      oauth: { grant: "workload_identity", clientId: "workload", workloadToken: { file: "./workload.jwt" } },
      files: { "workload.jwt": workloadToken },
    });
    return { server, upstream, privateKey, workloadToken, ...gateway };
  }

  test("a source for which its platform vouches gets one token for thirty callers by the token of the platform", async (t) => {
    const { call, until, server, logged, workloadToken } = await start(t, tokenOf);
    await until("healthy");
    const answers = await Promise.all(Array.from({ length: 30 }, () => call("up/whoami")));
    for (const { output } of answers)
      assert.deepEqual(output, { sub: "workload:gateway", client_id: "workload" });
    assert.equal(server.asked("/token"), 1);
    assert.ok(!logged().includes(workloadToken));
  });

  test("a source for which its platform vouches is unhealthy while that token has ended, asks once, and works with the next one", async (t) => {
    const { until, server, directory, privateKey, logged, workloadToken } = await start(t, (key, issuer) =>
      tokenOf(key, issuer, { expires: "-1m" }),
    );
    const { code, reason } = await until("unhealthy");
    assert.deepEqual(
      [code, reason],
      [
        "UNAUTHORIZED",
        "up: the authorization server gave no token for the client (invalid_grant). Check workloadToken in sources.up.oauth.",
      ],
    );
    assert.equal(server.asked("/token"), 1);
    await writeFile(join(directory, "workload.jwt"), await tokenOf(privateKey, server.issuer));
    await until("healthy");
    assert.ok(!logged().includes(workloadToken));
  });
});

describe("a source that a company's identity provider decides about", () => {
  const client = { client_id: "gateway", client_secret: "secret of the gateway at the server" };

  async function start(t: TestContext, expiresIn = 300) {
    const provider = await startServer(t, {
      clients: [
        {
          client_id: "at-provider",
          client_secret: "secret of the gateway at the provider",
          token_endpoint_auth_method: "client_secret_post",
          grant_types: [TOKEN_EXCHANGE],
          ...noRedirects,
        },
      ],
      grants: {
        async [TOKEN_EXCHANGE](
          { subject_token: idToken = "", audience = "", resource, requested_token_type },
          self,
        ) {
          const keys = createLocalJWKSet({ keys: [self.publicJwk] });
          const wanted = { issuer: self.issuer, audience: "at-provider" };
          const checked = await jwtVerify(idToken, keys, wanted).catch(() => undefined);
          if (!checked || requested_token_type !== ID_JAG) return undefined;
          const claims = { sub: checked.payload.sub ?? "", client_id: client.client_id, resource };
          const assertion = await self.forge(audience, { claims, header: { typ: "oauth-id-jag+jwt" } });
          return { access_token: assertion, issued_token_type: ID_JAG, token_type: "N_A" };
        },
      },
    });
    const server = await startServer(t, {
      clients: [{ ...client, grant_types: [JWT_BEARER], ...noRedirects }],
      grants: {
        async [JWT_BEARER]({ assertion = "" }, self) {
          const keys = createLocalJWKSet({ keys: [provider.publicJwk] });
          const wanted = { issuer: provider.issuer, audience: self.issuer, typ: "oauth-id-jag+jwt" };
          const checked = await jwtVerify(assertion, keys, wanted).catch(() => undefined);
          if (!checked) return undefined;
          const { sub = "", client_id, resource } = checked.payload;
          const token = await self.forge(String(resource), { claims: { sub, client_id } });
          return { access_token: token, token_type: "Bearer", expires_in: 60 };
        },
      },
    });
    const upstream = await serveProtected(server, { scopes: ["read"] });
    t.after(() => upstream.close());
    const now = Math.floor(Date.now() / 1_000);
    const idToken = await provider.forge("at-provider", { claims: { exp: now + expiresIn } });
    const gateway = await startOauthGateway(t, upstream, {
      oauth: {
        grant: "enterprise_managed",
        clientId: client.client_id,
        clientSecret: { file: "./client.secret" },
        identityProvider: {
          issuer: provider.issuer,
          clientId: "at-provider",
          clientSecret: { file: "./provider.secret" },
          idToken: { file: "./id.token" },
        },
      },
      files: {
        "client.secret": client.client_secret,
        "provider.secret": "secret of the gateway at the provider",
        "id.token": idToken,
      },
    });
    const secrets = [idToken, client.client_secret, "secret of the gateway at the provider"];
    return { provider, server, upstream, secrets, ...gateway };
  }

  test("a source that a company's identity provider decides about acts for the person of the ID token, by one exchange for thirty callers", async (t) => {
    const { call, until, provider, server, upstream, secrets, logged } = await start(t);
    await until("healthy");
    const callers = () => Promise.all(Array.from({ length: 30 }, () => call("up/whoami")));
    for (const { output } of await callers())
      assert.deepEqual(output, { sub: PERSON, client_id: client.client_id });
    assert.deepEqual([provider.asked("/token"), server.asked("/token")], [1, 1]);
    upstream.refuse([...upstream.tokens.keys()][0] ?? "");
    for (const { error } of await callers()) assert.equal(error, undefined);
    assert.deepEqual([provider.asked("/token"), server.asked("/token")], [2, 2]);
    for (const secret of secrets) assert.ok(!logged().includes(secret));
  });

  test("a source that a company's identity provider decides about is unhealthy with what to do where the ID token has expired", async (t) => {
    const { until, server, secrets, logged } = await start(t, -60);
    const { code, reason } = await until("unhealthy");
    assert.deepEqual(
      [code, reason],
      [
        "UNAUTHORIZED",
        "up: the identity provider does not vouch for the gateway. Check sources.up.oauth.identityProvider, and whether its idToken has expired.",
      ],
    );
    assert.equal(server.asked("/token"), 0);
    for (const secret of secrets) assert.ok(!logged().includes(secret));
  });

  test("a source that a company's identity provider decides about can be tried again while the provider is down, and no token that is good is lost", async (t) => {
    const { call, until, source, provider, upstream, logged } = await start(t);
    await until("healthy");
    await provider.close();
    assert.equal((await call("up/whoami")).error, undefined, "the token is still good");
    upstream.refuse([...upstream.tokens.keys()][0] ?? "");
    const { error } = await call("up/whoami");
    assert.equal(error?.code, "UNAVAILABLE", error?.message);
    assert.match(logged(), new RegExp(`No connection to ${provider.issuer} could be made`));
    assert.equal((await source()).operations, 1, "what was imported stays listed");
  });
});
