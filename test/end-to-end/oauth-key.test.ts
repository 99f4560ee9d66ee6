import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { AuthorizationServer } from "../support/authorization-server.ts";
import { startOauthGateway } from "../support/oauth-gateway.ts";
import { serveProtected } from "../support/protected-upstream.ts";

const CLIENT = "signing";
const OAUTH = { grant: "client_credentials", clientId: CLIENT, privateKey: { file: "./client.pem" } };

/** A key, as `openssl genpkey` prints it. */
function createKey(): { readonly pem: string; readonly jwk: object } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  return { pem, jwk: { ...publicKey.export({ format: "jwk" }), use: "sig" } };
}

describe("a source whose client signs with a key", () => {
  const current = { ...createKey(), id: "of this year" };
  const former = { ...createKey(), id: "of last year" };
  let server: AuthorizationServer;
  before(async () => {
    const keys = [former, current].map(({ jwk, id }) => ({ ...jwk, kid: id }));
    server = await AuthorizationServer.start({
      scopes: ["read"],
      tokenSeconds: 300,
      clients: [
        {
          client_id: CLIENT,
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          jwks: { keys },
        },
      ],
    });
  });
  after(() => server.close());

  async function start(t: TestContext, pem: string, oauth: object = {}) {
    const upstream = await serveProtected(server, { scopes: ["read"] });
    t.after(() => upstream.close());
    const gateway = await startOauthGateway(t, upstream, {
      oauth: { ...OAUTH, ...oauth },
      files: { "client.pem": pem },
    });
    return { upstream, ...gateway };
  }

  test("a source whose client signs with a key gets one token for thirty callers, and another one for all of them where it is refused", async (t) => {
    const { call, until, upstream, logged } = await start(t, current.pem, { keyId: current.id });
    await until("healthy");
    const asked = server.asked("/token");
    const callers = () => Promise.all(Array.from({ length: 30 }, () => call("up/whoami")));
    for (const { output } of await callers()) assert.deepEqual(output, { sub: CLIENT, client_id: CLIENT });
    assert.equal(server.asked("/token"), asked);
    upstream.refuse([...upstream.tokens.keys()][0] ?? "");
    for (const { error } of await callers()) assert.equal(error, undefined);
    assert.equal(server.asked("/token"), asked + 1);
    assertHidden(logged(), current.pem);
    for (const token of upstream.tokens.keys()) assert.ok(!logged().includes(token));
  });

  test("a source whose client signs with the wrong key is unhealthy, and the reason names the key and nothing of it", async (t) => {
    const { pem } = createKey();
    const { until, logged } = await start(t, pem, { keyId: current.id });
    const { code, reason = "" } = await until("unhealthy");
    assert.deepEqual(
      [code, reason],
      [
        "UNAUTHORIZED",
        `up: the authorization server gave no token for the client (invalid_client). Check clientId and privateKey (key id ${current.id}) in sources.up.oauth, and the clock of this machine.`,
      ],
    );
    assertHidden(logged() + reason, pem);
  });

  test("a source whose key is missing, or is not a key, is unhealthy with the line, and works as soon as the file is right", async (t) => {
    const { until, directory, call, logged } = await start(t, "not a key at all");
    const { code, reason = "" } = await until("unhealthy");
    assert.equal(code, "UNAUTHORIZED");
    assert.match(
      reason,
      /pinhole\.yaml:\d+ {2}sources\.up\.oauth\.privateKey: This is not a private key\. Write one in PEM/,
    );
    assert.ok(!reason.includes("not a key at all"));
    await rm(join(directory, "client.pem"));
    await untilReason(until, /The secret \{ file: \.\/client\.pem \} is missing: there is no file/);
    await writeFile(join(directory, "client.pem"), former.pem);
    await until("healthy");
    assert.equal((await call("up/whoami")).error, undefined);
    assertHidden(logged(), former.pem);
  });
});

/** Secrets are read again every two seconds. */
async function untilReason(
  until: (state: string) => Promise<{ readonly reason?: string }>,
  wanted: RegExp,
): Promise<void> {
  for (let looks = 0; looks < 400; looks++) {
    if (wanted.test((await until("unhealthy")).reason ?? "")) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`The reason is never ${wanted}`);
}

function assertHidden(text: string, pem: string): void {
  for (const line of pem.split("\n").filter((each) => each.length > 20 && !each.startsWith("-")))
    assert.ok(!text.includes(line), "a line of the key is shown");
}
