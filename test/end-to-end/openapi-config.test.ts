import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { stringify } from "yaml";
import { startGateway } from "../../src/gateway/gateway.ts";
import { createLog, type GatewayLog } from "../../src/observe/log.ts";
import { eventsOf, postJson } from "../support/http-wire.ts";

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

const OK = { 200: { description: "", content: { "application/json": {} } } };

function documentOf(server: object): object {
  return {
    openapi: "3.1.0",
    info: { title: "Guarded", version: "1" },
    servers: [server],
    components: {
      securitySchemes: {
        first: { type: "apiKey", in: "header", name: "X-First" },
        second: { type: "apiKey", in: "header", name: "X-Second" },
      },
    },
    paths: {
      "/things": { get: { operationId: "things", security: [{ first: [], second: [] }], responses: OK } },
      "/silence": {
        get: {
          operationId: "silence",
          responses: { 200: { description: "", content: { "text/event-stream": {} } } },
        },
      },
    },
  };
}

/** An API that shows its document only to those who show something themselves; `port` is a variable of its server. */
async function startApi(t: TestContext) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { url: path = "", headers } = request;
    seen.push({ path, headers });
    const isDocument = path === "/openapi.json";
    if (isDocument && !headers.authorization && !headers["x-key"]) {
      response.writeHead(401).end();
    } else if (path.endsWith("/silence")) {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(isDocument ? documentOf({ url: "/v1" }) : { path }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

interface Setting {
  readonly source: object;
  readonly document?: object;
  readonly rest?: object;
}

/** A gateway with one source; its secrets lie in the files `one` and `two`. */
async function start(t: TestContext, { source, document = {}, rest = {} }: Setting) {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-openapi-config-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const files = { one: "s3cret-one\n", two: "s3cret-two\n", "api.yaml": stringify(document) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const api = { allowPrivate: true, external: "*", ...source };
  writeFileSync(join(directory, "pinhole.yaml"), stringify({ sources: { api }, ...rest }));
  const warnings: string[] = [];
  const log: GatewayLog = {
    ...createLog("error"),
    warn: (message, fields) => void warnings.push(JSON.stringify([message, fields])),
  };
  const gateway = await startGateway({ directory, log, watch: false, flags: { port: "0" } });
  t.after(() => gateway.close());
  const names = gateway.registry
    .snapshot()
    .entries()
    .map(({ registration }) => registration.spec.name);
  const call = async (operation: string) =>
    (await postJson(`${gateway.url}/call`, { operation })).json() as Promise<{ output?: unknown }>;
  return { gateway, warnings, has: (name: string) => names.includes(name), call };
}

describe("a document that is guarded", () => {
  const shown = ({ seen }: { readonly seen: readonly Seen[] }) => {
    const { headers } = seen.find(({ path }) => path === "/openapi.json") ?? assert.fail();
    return [headers.authorization, headers["x-key"], headers["x-tenant"]];
  };
  const secrets = { token: { file: "one" }, apiKey: { file: "two" }, headers: { "X-Tenant": "acme" } };

  test("a document that is guarded gets no secret and no header unless the config says so, and the refusal says what to do", async (t) => {
    const api = await startApi(t);
    const openapi = `http://127.0.0.1:${api.port}/openapi.json`;
    const { has, warnings } = await start(t, { source: { openapi, ...secrets } });
    assert.equal(has("api/things"), false);
    assert.deepEqual(shown(api), [undefined, undefined, undefined]);
    assert.match(warnings.join(), /answered 401 instead of a document\. If it wants .* set documentAuth/);
    assert.doesNotMatch(warnings.join(), /s3cret/);
  });

  test("a document that is guarded gets the token, or name and password, and the headers where it says documentAuth", async (t) => {
    const api = await startApi(t);
    const openapi = `http://127.0.0.1:${api.port}/openapi.json`;
    const { has } = await start(t, { source: { openapi, ...secrets, documentAuth: true } });
    assert.equal(has("api/things"), true);
    assert.deepEqual(shown(api), ["Bearer s3cret-one", undefined, "acme"]);

    const basic = await startApi(t);
    const pair = { username: { file: "one" }, password: { file: "two" } };
    const address = `http://127.0.0.1:${basic.port}/openapi.json`;
    await start(t, { source: { openapi: address, ...pair, documentAuth: true } });
    assert.deepEqual(shown(basic), [`Basic ${btoa("s3cret-one:s3cret-two")}`, undefined, undefined]);
  });

  test("a document that is guarded gets the API key in the header that documentAuth names, and nothing else", async (t) => {
    const api = await startApi(t);
    const openapi = `http://127.0.0.1:${api.port}/openapi.json`;
    const { has } = await start(t, { source: { openapi, ...secrets, documentAuth: "X-Key" } });
    assert.equal(has("api/things"), true);
    assert.deepEqual(shown(api), [undefined, "s3cret-two", "acme"]);
  });
});

test("items of an API's stream are the data of its events, or whole events where the config asks for them", async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('event: add\nid: 7\ndata: {"n":1}\n\ndata: {"n":2}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const item = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const content = { "text/event-stream": { schema: item } };
  const get = (operationId: string) => ({
    get: { operationId, responses: { 200: { description: "", content } } },
  });
  const { port } = server.address() as AddressInfo;
  const document = {
    openapi: "3.1.0",
    info: { title: "Events", version: "1" },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    paths: { "/plain": get("plain"), "/whole": get("whole") },
  };
  const { gateway, warnings } = await start(t, {
    document,
    source: { openapi: "api.yaml", operations: { whole: { events: "full" } } },
    rest: { limits: { outputValidation: "enforce" } },
  });
  const itemsOf = async (operation: string) => {
    const items: unknown[] = [];
    for await (const { event, data } of eventsOf(await postJson(`${gateway.url}/subscribe`, { operation })))
      if (event === "message") items.push(data);
    return items;
  };
  assert.deepEqual(await itemsOf("api/plain"), [{ n: 1 }, { n: 2 }]);
  assert.deepEqual(await itemsOf("api/whole"), [
    { event: "add", id: "7", data: { n: 1 } },
    { event: "message", id: "7", data: { n: 2 } },
  ]);
  const answer = await fetch(`${gateway.url}/schema?name=api/plain&name=api/whole`);
  const { operations } = (await answer.json()) as { operations: { outputSchema: { properties: object } }[] };
  assert.deepEqual(
    operations.map(({ outputSchema }) => Object.keys(outputSchema.properties)),
    [["n"], ["event", "id", "data"]],
  );
  assert.deepEqual(warnings, []);
});

test("an API that wants two keys gets each where it belongs, at the server that the variables name", async (t) => {
  const { port, seen } = await startApi(t);
  const document = documentOf({
    url: "http://127.0.0.1:{port}/{version}",
    variables: { port: { default: "1" }, version: { enum: ["v1", "v2"], default: "v1" } },
  });
  const { call, warnings } = await start(t, {
    document,
    source: {
      openapi: "./api.yaml",
      variables: { port: String(port), version: "v2" },
      apiKeys: { first: { file: "one" }, second: { file: "two" } },
    },
  });
  assert.deepEqual((await call("api/things")).output, { path: "/v2/things" });
  const { headers } = seen.at(-1) ?? assert.fail();
  assert.deepEqual([headers["x-first"], headers["x-second"]], ["s3cret-one", "s3cret-two"]);
  assert.deepEqual(warnings, []);
});

test("a value that a variable does not allow keeps the API out, and the log says which it allows", async (t) => {
  const document = documentOf({
    url: "https://{region}.example.com",
    variables: { region: { enum: ["eu", "us"], default: "eu" } },
  });
  const source = { openapi: "./api.yaml", variables: { region: "mars" } };
  const { has, warnings } = await start(t, { document, source });
  assert.equal(has("api/things"), false);
  assert.match(warnings.join(), /variables\.region cannot be .*mars.*the document allows: eu, us\./);
});

test("a silent stream shows that it lives as often as http.heartbeatMs says", async (t) => {
  const { port } = await startApi(t);
  const { gateway } = await start(t, {
    document: documentOf({ url: `http://127.0.0.1:${port}` }),
    source: { openapi: "./api.yaml" },
    rest: { http: { heartbeatMs: 20 } },
  });
  const stop = new AbortController();
  const response = await postJson(
    `${gateway.url}/subscribe`,
    { operation: "api/silence" },
    { signal: stop.signal },
  );
  const { value } = (await response.body?.getReader().read()) ?? {};
  assert.equal(new TextDecoder().decode(value), ": heartbeat\n\n");
  stop.abort();
});
