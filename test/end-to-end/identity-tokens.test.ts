import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { after, before, describe, type TestContext, test } from "node:test";
import { type CryptoKey, exportSPKI, generateKeyPair, importJWK, UnsecuredJWT } from "jose";
import { newToken } from "../../src/identity/index.ts";
import { AuthorizationServer, MACHINE, PERSON } from "../support/authorization-server.ts";
import {
  AUDIENCE,
  type CallAnswer,
  type IdentityGateway,
  issuerConfig,
  startIdentityGateway,
} from "../support/identity-gateway.ts";

describe("tokens of an authorization server", () => {
  let server: AuthorizationServer;
  before(async () => {
    server = await AuthorizationServer.start({ scopes: ["read", "write"] });
  });
  after(() => server.close());

  const start = (t: TestContext, more: object = {}, rest: object = {}): Promise<IdentityGateway> =>
    startIdentityGateway(t, { issuers: [issuerConfig(server, more)], ...rest });

  test("client credentials call what their scopes allow, and nothing else", async (t) => {
    const { call } = await start(t);
    const token = await server.tokenFor(AUDIENCE, "read");
    const who = await call("vault/whoami", token);
    assert.deepEqual(who.output, { id: `idp:${MACHINE.client_id}`, scopes: ["read"] });
    assert.equal((await call("vault/read", token)).output, "read");
    const more = await call("vault/write", token);
    assert.deepEqual([more.status, more.error?.code], [403, "FORBIDDEN"]);
  });

  test("the second use of a token asks the issuer nothing, and neither does a reload", async (t) => {
    const { call, gateway } = await start(t);
    const token = await server.tokenFor(AUDIENCE, "read");
    assert.equal((await call("vault/read", token)).status, 200);
    const asked = [server.asked("/jwks"), server.asked("/.well-known/openid-configuration")];
    await gateway.reload();
    for (const again of [token, await server.tokenFor(AUDIENCE)]) {
      assert.equal((await call("vault/whoami", again)).status, 200);
    }
    assert.deepEqual([server.asked("/jwks"), server.asked("/.well-known/openid-configuration")], asked);
  });

  test("static tokens work beside an issuer, and each keeps its own name", async (t) => {
    const { token, tokenHash } = newToken();
    const { call } = await start(t, {}, { identities: [{ id: "ci", tokenHash, scopes: ["write", "read"] }] });
    assert.deepEqual((await call("vault/whoami", token)).output, { id: "ci", scopes: ["write", "read"] });
    assert.equal((await call("vault/whoami", newToken().token)).status, 401);
  });

  test("a token for another resource is refused, although the issuer is the right one", async (t) => {
    const { call } = await start(t);
    const stolen = await server.tokenFor("https://other.example.test", "read");
    assertRefused(await call("vault/whoami", stolen), /another audience/);
    const both = await server.forge(AUDIENCE, { claims: { aud: ["https://other.example.test", AUDIENCE] } });
    assert.equal((await call("vault/whoami", both)).status, 200);
  });

  test("a token of another issuer is refused, also if it names the right one", async (t) => {
    const { call } = await start(t);
    const other = await AuthorizationServer.start({ scopes: ["read"] });
    t.after(() => other.close());
    assertRefused(await call("vault/whoami", await other.tokenFor(AUDIENCE, "read")), /not known here/);
    const pretends = await other.forge(AUDIENCE, { claims: { iss: server.issuer } });
    assertRefused(await call("vault/whoami", pretends), /cannot be verified/);
    const { kid } = server.publicJwk;
    const sameKid = await other.forge(AUDIENCE, { claims: { iss: server.issuer }, header: { kid } });
    assertRefused(await call("vault/whoami", sameKid), /cannot be verified/);
  });

  test("a token without signature, or signed with the public key as a secret, is refused", async (t) => {
    const { call } = await start(t);
    const unsigned = new UnsecuredJWT({ iss: server.issuer, aud: AUDIENCE, sub: PERSON, exp: 4e9 }).encode();
    assertRefused(await call("vault/whoami", unsigned), /not signed in a way/);
    const [, payload] = unsigned.split(".");
    for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
      const header = Buffer.from(JSON.stringify({ alg, typ: "JWT" })).toString("base64url");
      assertRefused(await call("vault/whoami", `${header}.${payload}.`), /not signed in a way/);
    }
    const publicKey = (await importJWK(server.publicJwk, "ES256", { extractable: true })) as CryptoKey;
    const spki = await exportSPKI(publicKey);
    for (const secret of [spki, JSON.stringify(server.publicJwk), spki.trim()]) {
      const key = new TextEncoder().encode(secret);
      const forged = await server.forge(AUDIENCE, { key, header: { alg: "HS256" } });
      assertRefused(await call("vault/whoami", forged), /not signed in a way/);
    }
  });

  test("a key that the token brings along, or points to, is not believed", async (t) => {
    const { call } = await start(t);
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = publicKey.export({ format: "jwk" });
    const own = (await importJWK(privateKey.export({ format: "jwk" }), "ES256")) as CryptoKey;
    const jku = `${server.issuer}/evil`;
    for (const header of [{ jwk }, { jku }, { jwk, kid: "own" }, { x5u: jku }]) {
      assertRefused(
        await call("vault/whoami", await server.forge(AUDIENCE, { key: own, header })),
        /cannot be/,
      );
    }
    assert.equal(server.asked("/evil"), 0);
  });

  test("an expired token and one from the future are refused with the reason", async (t) => {
    const { call, logged } = await start(t, { clockToleranceSeconds: 5 });
    const now = Math.floor(Date.now() / 1000);
    const expired = await server.forge(AUDIENCE, { claims: { exp: now - 6 } });
    const answer = await call("vault/whoami", expired);
    assertRefused(answer, /has expired/);
    assert.match(answer.headers.get("www-authenticate") ?? "", /error="invalid_token".*has expired/);
    assertRefused(
      await call("vault/whoami", await server.forge(AUDIENCE, { claims: { nbf: now + 60 } })),
      /yet/,
    );
    const tolerated = await server.forge(AUDIENCE, { claims: { exp: now - 1, nbf: now + 2 } });
    assert.equal((await call("vault/whoami", tolerated)).status, 200);
    for (const claims of [{ exp: undefined }, { exp: "4000000000" }, { aud: undefined }]) {
      const token = await server.forge(AUDIENCE, { claims: claims as Record<string, unknown> });
      assertRefused(await call("vault/whoami", token), /lacks what|another audience/);
    }
    assert.ok(!logged().includes(expired), "a token never reaches the log");
  });

  test("other things that the issuer signs are no access tokens, even with the right audience", async (t) => {
    const { call } = await start(t);
    const cases: readonly (readonly [claims: object, typ: string])[] = [
      [{ at_hash: "x", nonce: "n" }, "JWT"],
      [{ c_hash: "x" }, "at+jwt"],
      [{ typ: "ID" }, "JWT"],
      [{ typ: "Refresh" }, "JWT"],
      [{ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }, "JWT"],
      [{}, "logout+jwt"],
      [{}, "dpop+jwt"],
    ];
    for (const [claims, typ] of cases) {
      const token = await server.forge(AUDIENCE, { claims: { ...claims }, header: { typ } });
      assertRefused(await call("vault/whoami", token), /ID token|not an access token/);
    }
    for (const typ of ["JWT", "application/at+jwt", "AT+JWT"]) {
      const token = await server.forge(AUDIENCE, { header: { typ } });
      assert.equal((await call("vault/whoami", token)).status, 200, typ);
    }
  });

  test("a token that is bound to a key does not work for whoever merely has it", async (t) => {
    const { call } = await start(t);
    const bound = await server.forge(AUDIENCE, { claims: { cnf: { jkt: "thumbprint" } } });
    assertRefused(await call("vault/whoami", bound), /bound to a key/);
  });

  test("only named clients, or only declared access tokens, are accepted where the config says so", async (t) => {
    const { call } = await start(t, { clients: ["desk"], accessTokensOnly: true });
    const of = (claims: object, typ = "at+jwt") =>
      server.forge(AUDIENCE, { claims: { ...claims }, header: { typ } });
    assert.equal((await call("vault/whoami", await of({ client_id: "desk" }))).status, 200);
    assert.equal((await call("vault/whoami", await of({ azp: "desk" }))).status, 200);
    assertRefused(await call("vault/whoami", await of({ client_id: "desk" }, "JWT")), /not an access token/);
    assertRefused(await call("vault/whoami", await of({ client_id: "other", azp: "desk" })), /not admitted/);
    assertRefused(await call("vault/whoami", await server.tokenFor(AUDIENCE)), /not admitted/);
  });

  test("scopes and ids come from the claims that the config names", async (t) => {
    const { call } = await start(t, { scopeClaim: "realm_access.roles", idClaim: "https://corp.test/id" });
    const claims = {
      realm_access: { roles: ["read", 7, ""] },
      "https://corp.test/id": "ada@corp",
      scope: "write",
    };
    assert.deepEqual((await call("vault/whoami", await server.forge(AUDIENCE, { claims }))).output, {
      id: "idp:ada@corp",
      scopes: ["read"],
    });
    for (const id of [undefined, 7, "", "a\nb", "x".repeat(256)]) {
      const token = await server.forge(AUDIENCE, { claims: { "https://corp.test/id": id } });
      assertRefused(await call("vault/whoami", token), /does not say whose it is/);
    }
  });

  test("what is no token at all, or far too long, is refused without asking the issuer", async (t) => {
    const { call } = await start(t);
    assert.equal((await call("vault/whoami", await server.tokenFor(AUDIENCE))).status, 200);
    const asked = server.asked("/jwks");
    for (const junk of ["a.b.c", "..", `${"x".repeat(9_000)}.e30.x`, randomBytes(40).toString("base64url")]) {
      assertRefused(await call("vault/whoami", junk), /not known here/);
    }
    assert.equal(server.asked("/jwks"), asked);
  });

  test("a token signed in a way that the config leaves out is refused", async (t) => {
    const { call } = await start(t, { algorithms: ["RS256"] });
    assertRefused(await call("vault/whoami", await server.tokenFor(AUDIENCE)), /not signed in a way/);
    const { privateKey } = await generateKeyPair("Ed25519");
    const odd = await server.forge(AUDIENCE, { key: privateKey, header: { alg: "EdDSA" } });
    assertRefused(await call("vault/whoami", odd), /not signed in a way/);
  });
});

function assertRefused({ status, error, headers }: CallAnswer, reason: RegExp): void {
  assert.deepEqual([status, error?.code], [401, "FORBIDDEN"], error?.message);
  assert.match(error?.message ?? "", reason);
  assert.match(headers.get("www-authenticate") ?? "", /^Bearer realm="pinhole", error="invalid_token"/);
}
