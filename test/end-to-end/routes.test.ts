import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { Route } from "pinhole/core";
import { isReservedPath } from "../../src/core/index.ts";
import { hashToken } from "../../src/identity/token.ts";
import { HTTP_PATHS } from "../../src/projections/to-openapi/index.ts";
import { type ConfigGateway, startConfig } from "../support/config-gateway.ts";
import { deferred } from "../support/deferred.ts";

const TOKEN = "a-token-of-sufficient-length-for-ada";
const READER = "a-token-of-sufficient-length-for-bob";
const BEARER = { authorization: `Bearer ${TOKEN}` };
const KNOWN = {
  identities: [
    { id: "ada", tokenHash: hashToken(TOKEN) },
    { id: "bob", tokenHash: hashToken(READER), mutations: "deny" },
  ],
};
const CLOSED = { ...KNOWN, access: { anonymous: false } };

/** Answers with everything that a handler gets. */
const SHOWN: Route["handler"] = async (request, { identity }) =>
  Response.json({
    id: identity.id,
    token: request.headers.get("authorization"),
    body: await request.text(),
    path: new URL(request.url).pathname,
  });

const start = (t: TestContext, routes: readonly Route[], config: object = CLOSED) =>
  startConfig(t, config, { routes });

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask({ url }: ConfigGateway, path: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(`${url}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A plugin of plain records with one route. */
const pluginOf = (name: string, path: string, answer: string) => `export default {
  name: "${name}",
  operations: [{ name: "${name}/say", type: "query", description: "Says it.", handler: () => 1 }],
  routes: [{ method: "GET", path: "${path}", handler: () => new Response("${answer}") }],
};`;

/** A gateway whose plugins are files that a test writes. */
async function startPlugins(t: TestContext, plugins: Readonly<Record<string, string>>) {
  const started = await startConfig(t, {});
  const sourceOf = (name: string) => ({ plugin: `./${name}.ts`, public: true });
  async function write(next: Readonly<Record<string, string>>): Promise<void> {
    const written = Object.entries(next).map(([name, text]) =>
      writeFile(join(started.directory, `${name}.ts`), text),
    );
    await Promise.all(written);
    await started.reload({
      sources: Object.fromEntries(Object.keys(next).map((name) => [name, sourceOf(name)])),
    });
  }
  await write(plugins);
  return { ...started, write };
}

async function call(gateway: ConfigGateway, operation: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await ask(gateway, "/call", { method: "POST", headers, body: JSON.stringify({ operation }) })).text;
}

describe("routes", { concurrency: true }, () => {
  test("a route gets the identity, the body and the path, and not the token", async (t) => {
    const gateway = await start(t, [{ method: "POST", path: "/in/*", handler: SHOWN }]);
    const init = { method: "POST", headers: BEARER, body: "text" };
    const answer = await ask(gateway, "/in/deep/er?x=1", init);
    assert.equal(answer.status, 200);
    assert.deepEqual(JSON.parse(answer.text), { id: "ada", token: null, body: "text", path: "/in/deep/er" });
    const requestId = answer.headers.get("x-request-id");
    const lines = gateway
      .logged()
      .split("\n")
      .filter((line) => line.includes("route POST /in/*"));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /ada/);
    assert.ok(requestId && lines[0]?.includes(requestId));
    assert.equal((await ask(gateway, "/in", init)).status, 404, "only what is below");
    assert.equal((await ask(gateway, "/in/x", { headers: BEARER })).status, 404, "another method");
  });

  test("callers without a token are refused at a route, also where operations accept them", async (t) => {
    const routes: Route[] = [{ method: "GET", path: "/mine", handler: SHOWN }];
    for (const config of [CLOSED, KNOWN]) {
      const gateway = await start(t, routes, config);
      const { status, headers, text } = await ask(gateway, "/mine");
      assert.equal(status, 401);
      assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
      assert.match(text, /needs a token/);
      assert.equal((await ask(gateway, "/mine", { headers: BEARER })).status, 200);
    }
  });

  test("a public route answers callers without a token, but not those with a wrong one", async (t) => {
    const gateway = await start(t, [{ method: "GET", path: "/hook", public: true, handler: SHOWN }]);
    const answer = await ask(gateway, "/hook");
    assert.equal(answer.status, 200);
    assert.equal(JSON.parse(answer.text).id, "anonymous");
    assert.equal((await ask(gateway, "/hook", { headers: { authorization: "Bearer wrong" } })).status, 401);
    assert.equal((await ask(gateway, "/hook", { method: "HEAD" })).text, "");
  });

  test("an identity that may change nothing has only the GET routes", async (t) => {
    const gateway = await start(t, [
      { method: "GET", path: "/x", handler: SHOWN },
      { method: "POST", path: "/x", handler: SHOWN },
    ]);
    const headers = { authorization: `Bearer ${READER}` };
    assert.equal((await ask(gateway, "/x", { headers })).status, 200);
    assert.equal((await ask(gateway, "/x", { headers, method: "POST" })).status, 403);
  });

  test("requests to routes count against the limits of their caller before the handler runs", async (t) => {
    let ran = 0;
    const handler = () => new Response(String(++ran));
    const limits = { callsPerSecond: 0.1 };
    const gateway = await start(t, [{ method: "GET", path: "/x", handler }], { ...CLOSED, limits });
    const asked = Array.from({ length: 10 }, () => ask(gateway, "/x", { headers: BEARER }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.ok(ran < 10 && ran === statuses.filter((status) => status === 200).length, `${ran} ran`);
    assert.equal(statuses.filter((status) => status === 429).length, 10 - ran);
    assert.match(gateway.logged(), /route GET \/x.*RATE_LIMITED|RATE_LIMITED.*route GET \/x/);
  });

  test("a request counts until its answer has gone out", async (t) => {
    const rest = deferred<void>();
    const handler = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await rest.promise;
            controller.enqueue(new TextEncoder().encode("end"));
            controller.close();
          },
        }),
      );
    const limits = { concurrent: 1 };
    const gateway = await start(t, [{ method: "GET", path: "/slow", handler }], { ...CLOSED, limits });
    const slow = await fetch(`${gateway.url}/slow`, { headers: BEARER });
    assert.equal((await ask(gateway, "/slow", { headers: BEARER })).status, 429);
    rest.resolve();
    assert.equal(await slow.text(), "end");
    assert.equal((await ask(gateway, "/slow", { headers: BEARER })).text, "end");
  });

  test("a caller that leaves ends the answer of a route, and nothing has failed", async (t) => {
    const ended = deferred<void>();
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(1_024));
    const body = () => new ReadableStream({ pull, cancel: () => ended.resolve() }, { highWaterMark: 0 });
    const gateway = await start(t, [{ method: "GET", path: "/x", handler: () => new Response(body()) }]);
    const leaving = new AbortController();
    await fetch(`${gateway.url}/x`, { headers: BEARER, signal: leaving.signal });
    leaving.abort();
    await ended.promise;
    assert.match(gateway.logged(), /ABORTED/);
    assert.doesNotMatch(gateway.logged(), /failed/);
  });

  test("a larger body than the server takes never reaches the handler of a route", async (t) => {
    let ran = 0;
    const handler = () => new Response(String(++ran));
    const config = { ...CLOSED, server: { maxBodyBytes: 1_024 } };
    const gateway = await start(t, [{ method: "POST", path: "/in", handler }], config);
    const body = "x".repeat(2_000);
    const streamed = new Blob([body]).stream();
    const told = { method: "POST", headers: BEARER, body };
    const untold = { method: "POST", headers: BEARER, body: streamed, duplex: "half" as const };
    for (const init of [told, untold]) assert.equal((await ask(gateway, "/in", init)).status, 413);
    assert.equal(ran, 0);
  });

  test("what a handler of a route throws, or answers wrongly, is hidden behind a request id", async (t) => {
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error("secret stream")),
    });
    const handlers: Readonly<Record<string, () => unknown>> = {
      "/throws": () => {
        throw new Error("secret text");
      },
      "/nothing": () => undefined,
      "/rejects": () => Promise.reject(undefined),
      "/error": () => Response.error(),
      "/breaks": () => new Response(broken),
    };
    const routes = Object.entries(handlers).map(
      ([path, handler]) => ({ method: "GET", path, handler }) as Route,
    );
    const gateway = await start(t, routes);
    for (const path of ["/throws", "/nothing", "/rejects", "/error"]) {
      const { status, headers, text } = await ask(gateway, path, { headers: BEARER });
      assert.equal(status, 500, path);
      assert.ok(text.includes(headers.get("x-request-id") ?? "missing"));
      assert.doesNotMatch(text, /secret|routes\.test/);
    }
    const whole = await ask(gateway, "/breaks", { headers: BEARER }).catch(String);
    assert.doesNotMatch(JSON.stringify(whole), /secret/);
    assert.match(gateway.logged(), /The handler of a route failed.*startGateway.*secret text/s);
    assert.match(gateway.logged(), /secret stream/);
  });

  test("a handler of a route that takes too long is aborted and answered for", async (t) => {
    const aborted = deferred<void>();
    const handler: Route["handler"] = (_request, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    };
    const config = { ...CLOSED, limits: { deadlineMs: 100 } };
    const gateway = await start(t, [{ method: "GET", path: "/x", handler }], config);
    assert.equal((await ask(gateway, "/x", { headers: BEARER })).status, 504);
    await aborted.promise;
  });

  test("routes that cannot be taken are refused by a sentence, at the start", async (t) => {
    const handler = SHOWN;
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ method: "GET", path: "/mcp/mine", handler }, /"\/mcp\/mine" has a path that belongs to the gateway/],
      [{ method: "GET", path: "/console", handler }, /belongs to the gateway/],
      [{ method: "GET", path: "x", handler }, /begins with "\/"/],
      [{ method: "GET", path: "/a/../b", handler }, /plain segments/],
      [{ method: "GET", path: "/a/*/b", handler }, /plain segments/],
      [{ method: "FETCH", path: "/a", handler }, /needs a method: GET, POST/],
      [{ method: "GET", path: "/a" }, /needs a function as its handler/],
      [{ method: "GET", path: "/a", handler, publik: true }, /has publik, which has no effect/],
    ];
    for (const [route, reason] of wrong) await assert.rejects(start(t, [route as Route]), reason);
    const twice = { method: "GET", path: "/a", handler } as const;
    await assert.rejects(start(t, [twice, twice]), /GET \/a is offered by .* twice/);
    for (const path of HTTP_PATHS) assert.ok(isReservedPath(path), path);
  });

  test("a route for everything leaves the gateway its own paths, also those that it does not serve", async (t) => {
    const handler = () => new Response("mine");
    const gateway = await start(t, [{ method: "GET", path: "/*", public: true, handler }]);
    assert.equal((await ask(gateway, "/anything")).text, "mine");
    assert.match((await ask(gateway, "/healthz")).text, /ok/);
    for (const path of ["/console", "/refs/1", "/.well-known/x", "/mcp/a/b", "/call-protocol"])
      assert.notEqual((await ask(gateway, path)).text, "mine", path);
  });

  test("a route behind a decoy answers its callers, and all others get the decoy", async (t) => {
    const routes: Route[] = [
      { method: "GET", path: "/mine", handler: SHOWN },
      { method: "GET", path: "/open", public: true, handler: SHOWN },
    ];
    for (const config of [CLOSED, KNOWN]) {
      const gateway = await start(t, routes, { ...config, server: { decoy: "not-found" } });
      const nothing = await ask(gateway, "/nothing");
      const stranger = await ask(gateway, "/mine");
      assert.deepEqual([stranger.status, stranger.text], [nothing.status, nothing.text]);
      assert.equal(stranger.headers.get("x-request-id"), null);
      assert.equal((await ask(gateway, "/mine", { headers: BEARER })).status, 200);
      assert.equal((await ask(gateway, "/open")).status, 200);
    }
  });

  test("routes of plugins come and go with them, and only callers of HTTP know of them", async (t) => {
    const gateway = await startPlugins(t, { one: pluginOf("one", "/one", "first") });
    assert.equal((await ask(gateway, "/one")).text, "first");
    const search = await ask(gateway, "/search?query=route+one");
    const document = await ask(gateway, "/openapi.json");
    for (const { text } of [search, document]) assert.ok(!text.includes('/one"'), text);
    await gateway.write({ one: pluginOf("one", "/one", "second"), two: pluginOf("two", "/two", "other") });
    assert.equal((await ask(gateway, "/one")).text, "second");
    assert.equal((await ask(gateway, "/two")).text, "other");
    await gateway.write({ two: pluginOf("two", "/two", "other") });
    assert.equal((await ask(gateway, "/one")).status, 404);
    assert.equal((await ask(gateway, "/two")).text, "other");
  });

  test("a plugin with a bad or a taken route is unhealthy by name, and everything else is there", async (t) => {
    const gateway = await startPlugins(t, { one: pluginOf("one", "/one", "first") });
    await gateway.write({
      one: pluginOf("one", "/one", "first"),
      same: pluginOf("same", "/one", "other"),
      bad: pluginOf("bad", "/metrics", "other"),
    });
    assert.equal((await ask(gateway, "/one")).text, "first");
    const sources = await call(gateway, "sources/list");
    assert.match(sources, /GET \/one is offered by the sources \\"one\\" and \\"same\\"/);
    assert.match(sources, /bad\.ts: .*\\"\/metrics\\" has a path that belongs to the gateway/);
    assert.match(await call(gateway, "notes/list"), /notes/);
  });

  test("the audit file has one line for a request to a route, refused or not", async (t) => {
    const config = { ...CLOSED, audit: { file: "./audit.jsonl", required: true } };
    const gateway = await start(t, [{ method: "POST", path: "/in", handler: SHOWN }], config);
    await ask(gateway, "/in", { method: "POST", headers: BEARER, body: "four" });
    await ask(gateway, "/in", { method: "POST", headers: { authorization: `Bearer ${READER}` } });
    const lines = (await readFile(join(gateway.directory, "audit.jsonl"), "utf8")).trim().split("\n");
    const shown = lines.map((line) => {
      const { operation, principal, decision, outcome, inputBytes } = JSON.parse(line);
      return [operation, principal, decision, outcome, inputBytes];
    });
    assert.deepEqual(shown, [
      ["route POST /in", "ada", "allowed", "ok", 4],
      ["route POST /in", "bob", "refused", "FORBIDDEN", 0],
    ]);
  });
});
