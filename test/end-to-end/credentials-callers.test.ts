import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { hashToken } from "../../src/identity/index.ts";
import {
  type CredentialUpstream,
  fingerprintOf,
  serveApiEcho,
  serveModernEcho,
} from "../support/credential-upstreams.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";

const FILES = {
  "ada.secret": "the-credential-of-ada",
  "default.secret": "the-default-credential",
  "discovery.secret": "the-credential-of-discovery",
  "basic.secret": "ada:the-password-of-ada",
};
const ADA = { ada: { file: "./ada.secret" } };
const file = (name: string) => ({ file: `./${name}.secret` });

describe("credentials that differ by caller", () => {
  async function start(t: TestContext, upstream: CredentialUpstream, kind: object, credentials: object) {
    t.after(() => upstream.close());
    const source = { ...kind, allowPrivate: true, external: "*", credentials };
    const identities = ["ada", "ben"].map((id) => ({ id, tokenHash: hashToken(`the-token-of-${id}`) }));
    const { call, gateway, logged } = await startIdentityGateway(
      t,
      { identities, sources: { up: source } },
      { files: FILES },
    );
    const whoami = async (who: string) => {
      const { output, error } = await call("up/whoami", `the-token-of-${who}`);
      return { credential: (output as { credential?: string } | undefined)?.credential, error };
    };
    return { whoami, gateway, logged };
  }

  test("nothing is sent for a caller who has none", async (t) => {
    const upstream = await serveModernEcho();
    const { whoami, logged } = await start(t, upstream, { mcp: upstream.url.href }, { perIdentity: ADA });
    assert.equal((await whoami("ada")).credential, fingerprintOf(FILES["ada.secret"]));
    const called = upstream.called.length;
    const { error } = await whoami("ben");
    assert.equal(error?.code, "UNAUTHORIZED_UPSTREAM");
    assert.match(
      error?.message ?? "",
      /^up has no credential for "ben", so nothing was sent\. .*sources\.up\.credentials/,
    );
    assert.equal(upstream.called.length, called);
    assert.deepEqual([...upstream.discoveredBy], ["nobody"], "no caller's credential reads the list");
    assert.ok(!logged().includes(FILES["ada.secret"]));
  });

  test("callers without a credential of their own have the default, which also reads the list unless another is stated", async (t) => {
    for (const [more, reader] of [
      [{}, "default.secret"],
      [{ discovery: file("discovery") }, "discovery.secret"],
    ] as const) {
      const upstream = await serveModernEcho();
      const credentials = { perIdentity: ADA, default: file("default"), ...more };
      const { whoami } = await start(t, upstream, { mcp: upstream.url.href }, credentials);
      assert.equal((await whoami("ada")).credential, fingerprintOf(FILES["ada.secret"]));
      assert.equal((await whoami("ben")).credential, fingerprintOf(FILES["default.secret"]));
      assert.deepEqual([...upstream.discoveredBy], [FILES[reader]]);
    }
  });

  test("an API gets a name and a password where they are some", async (t) => {
    const upstream = await serveApiEcho({ type: "http", scheme: "basic" });
    const credentials = { as: "basic", perIdentity: { ada: file("basic") } };
    const { whoami } = await start(t, upstream, { openapi: upstream.url.href }, credentials);
    assert.equal((await whoami("ada")).credential, fingerprintOf(FILES["basic.secret"]));
    assert.equal((await whoami("ben")).error?.code, "UNAUTHORIZED_UPSTREAM");
  });

  test("the document of an API is read by the credential that is stated for that", async (t) => {
    const upstream = await serveApiEcho({ type: "http", scheme: "bearer" });
    const credentials = { perIdentity: ADA, discovery: file("discovery") };
    await start(t, upstream, { openapi: upstream.url.href, documentAuth: true }, credentials);
    assert.deepEqual([...upstream.discoveredBy], [FILES["discovery.secret"]]);
  });
});
