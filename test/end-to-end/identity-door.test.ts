import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { newToken } from "../../src/identity/index.ts";
import { HTTP_PATHS } from "../../src/projections/to-openapi/index.ts";
import { AuthorizationServer } from "../support/authorization-server.ts";
import { postJson } from "../support/http-wire.ts";
import { issuerConfig, startIdentityGateway } from "../support/identity-gateway.ts";
import { postModern } from "../support/mcp-wire.ts";

const PAGE = "https://app.example";
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const ACCEPT = { accept: "application/json, text/event-stream" };
const legacy = (params: object) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Asks with headers that fetch would not send. */
function ask(url: string, { method = "GET", headers = {} }: Asked = {}) {
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const asking = request(url, { method, headers, agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          body += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
      });
      asking.once("error", reject);
      asking.end();
    },
  );
}

const start = (t: TestContext, server: object, rest: object = {}) =>
  startIdentityGateway(t, { server, ...rest });

test("a page of an allowed origin may ask everywhere what it may send, before it has a token", async (t) => {
  const { gateway } = await start(t, { allowedOrigins: [PAGE] }, { access: { anonymous: false } });
  for (const path of ["/mcp", ...HTTP_PATHS]) {
    const headers = {
      origin: PAGE,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,mcp-method,mcp-param-owner,x-evil",
    };
    const answer = await ask(gateway.url + path, { method: "OPTIONS", headers });
    assert.equal(answer.status, 204, path);
    assert.equal(answer.headers["access-control-allow-origin"], PAGE);
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
    const allowed = String(answer.headers["access-control-allow-headers"]).toLowerCase().split(", ");
    for (const name of [
      "authorization",
      "content-type",
      "last-event-id",
      "mcp-method",
      "mcp-name",
      "mcp-param-owner",
      "mcp-protocol-version",
      "traceparent",
    ]) {
      assert.ok(allowed.includes(name), name);
    }
    assert.ok(!allowed.includes("x-evil"));
  }
});

test("a page of an allowed origin may read the challenge and the request id; another gets nothing", async (t) => {
  const { gateway } = await start(t, { allowedOrigins: [PAGE] }, { access: { anonymous: false } });
  const allowed = await ask(`${gateway.url}/mcp`, { method: "POST", headers: { origin: PAGE } });
  assert.equal(allowed.status, 401);
  assert.equal(allowed.headers["access-control-allow-origin"], PAGE);
  assert.equal(allowed.headers.vary, "Origin");
  const exposed = String(allowed.headers["access-control-expose-headers"]).toLowerCase();
  for (const name of ["www-authenticate", "x-request-id", "mcp-protocol-version"]) {
    assert.ok(exposed.split(", ").includes(name), name);
  }
  for (const origin of ["https://evil.example", "https://app.example.evil.test", "null"]) {
    for (const method of ["OPTIONS", "POST"]) {
      const headers = { origin, "access-control-request-method": "POST" };
      const answer = await ask(`${gateway.url}/mcp`, { method, headers });
      assert.equal(answer.status, 403);
      assert.deepEqual(
        Object.keys(answer.headers).filter((name) => name.startsWith("access-control")),
        [],
      );
    }
  }
  const noPage = await ask(`${gateway.url}/mcp`, { method: "POST" });
  assert.equal(noPage.headers["access-control-allow-origin"], undefined);
});

test("an OPTIONS request that no browser makes is answered as before", async (t) => {
  const { gateway } = await start(t, {});
  assert.equal((await ask(`${gateway.url}/call`, { method: "OPTIONS" })).status, 405);
});

test("the public address is the name of the resource and of the host, whatever a request says", async (t) => {
  const server = await AuthorizationServer.start();
  t.after(() => server.close());
  const { gateway } = await start(
    t,
    { publicUrl: "https://tools.example/gate/" },
    { access: { anonymous: false }, issuers: [issuerConfig(server)] },
  );
  for (const host of ["tools.example", "tools.example:443", "localhost"]) {
    const answer = await ask(`${gateway.url}/mcp`, { method: "POST", headers: { host } });
    assert.equal(
      answer.headers["www-authenticate"],
      'Bearer realm="pinhole", resource_metadata="https://tools.example/gate/.well-known/oauth-protected-resource/mcp"',
    );
    const path = "/.well-known/oauth-protected-resource/mcp";
    const { body } = await ask(gateway.url + path, { headers: { host } });
    assert.equal((JSON.parse(body) as { resource: string }).resource, "https://tools.example/gate/mcp");
  }
  for (const host of ["evil.example", "tools.example.evil.test"]) {
    const answer = await ask(`${gateway.url}/mcp`, { method: "POST", headers: { host } });
    assert.equal(answer.status, 403);
    assert.ok(!JSON.stringify(answer).includes("well-known"));
  }
  const page = await ask(`${gateway.url}/mcp`, {
    method: "POST",
    headers: { host: "tools.example", origin: "https://tools.example" },
  });
  assert.equal(page.headers["access-control-allow-origin"], "https://tools.example");
});

test("an issuer is enough of an identity to listen beyond this machine, once the address has a name", async (t) => {
  const issuers = [{ issuer: "https://login.example", audience: "x", jwksUri: "https://login.example/keys" }];
  const host = "0.0.0.0";
  await assert.rejects(start(t, { host }), /server\.host: others may reach "0\.0\.0\.0"/);
  await assert.rejects(start(t, { host }, { issuers }), /Set server\.publicUrl/);
  const { gateway } = await start(t, { host, publicUrl: "https://tools.example" }, { issuers });
  assert.match(gateway.url, /^http:\/\/0\.0\.0\.0:/);
});

test("a gateway that others can reach keeps an identity, although a new config asks for another address", async (t) => {
  const { token, tokenHash } = newToken();
  const identities = [{ id: "ci", tokenHash }];
  const { gateway, write } = await start(t, { host: "0.0.0.0" }, { identities });
  const asOperator = (more: object = {}) =>
    postJson(`${gateway.url.replace("0.0.0.0", "127.0.0.1")}/call`, { operation: "sources/list" }, more);
  assert.equal((await asOperator()).status, 401);
  await write({ server: { host: "127.0.0.1" } });
  await assert.rejects(gateway.reload(), /server\.host: others may reach "0\.0\.0\.0".*at the next start/);
  assert.equal((await asOperator()).status, 401);
  assert.equal((await asOperator({ token })).status, 403);
});

test("a trace comes in by its header on every wire, unless the message itself has one", async (t) => {
  const { token, tokenHash } = newToken();
  const { gateway } = await start(t, {}, { identities: [{ id: "ci", tokenHash }] });
  const headers = { traceparent: TRACEPARENT, tracestate: "vendor=1", authorization: `Bearer ${token}` };
  const params = { name: "call", arguments: { operation: "vault/whoami" } };
  const url = new URL("/mcp", gateway.url);
  const seen = [
    await postJson(`${gateway.url}/call`, { operation: "vault/whoami" }, { headers }),
    await postModern(url, "tools/call", params, { headers }),
    await postJson(url, legacy(params), { headers: { ...headers, ...ACCEPT } }),
  ];
  for (const response of seen) {
    const text = await response.text();
    assert.ok(text.includes("0af7651916cd43dd8448eb211c80319c"), text);
  }
  const own = TRACEPARENT.replace("0af7", "ffff");
  const nested = { ...params, _meta: { traceparent: own } };
  const text = await (await postJson(url, legacy(nested), { headers: { ...headers, ...ACCEPT } })).text();
  assert.ok(text.includes("ffff651916cd43dd8448eb211c80319c"), text);
  const broken = { traceparent: "00-x\r\ny: z", tracestate: "a=1" };
  for (const response of [
    await postModern(url, "tools/call", params, { headers, meta: broken }),
    await postJson(url, legacy({ ...params, _meta: broken }), { headers: { ...headers, ...ACCEPT } }),
  ]) {
    const answer = await response.text();
    assert.ok(answer.includes("0af7651916cd43dd8448eb211c80319c"), answer);
    assert.ok(!answer.includes("y: z"), answer);
  }
});
