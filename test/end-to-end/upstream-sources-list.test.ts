import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { hashToken } from "../../src/identity/index.ts";
import { getJson, postJson } from "../support/http-wire.ts";
import { startLocalApi } from "../support/local-api.ts";
import {
  ScriptedUpstream,
  sourceOf,
  startConfigured,
  TOOLS,
  tool,
  type UpstreamOptions,
} from "../support/scripted-upstream/index.ts";

const OPERATOR = "the-operator";
const OTHER = "somebody-else";
const IDENTITIES = [
  { id: "op", tokenHash: hashToken(OPERATOR), scopes: ["operator"] },
  { id: "other", tokenHash: hashToken(OTHER), scopes: [] },
];

interface Listed {
  readonly name: string;
  readonly [key: string]: unknown;
}

const NONE: Listed = { name: "is not listed" };

async function startUpstream(t: TestContext, options: UpstreamOptions = {}): Promise<ScriptedUpstream> {
  const upstream = await new ScriptedUpstream(options).start();
  t.after(() => upstream.stop());
  return upstream;
}

/** A gateway with identities, and how its sources fare for whoever has a token. */
async function start(t: TestContext, sources: object) {
  const configured = await startConfigured(t, { sources, identities: IDENTITIES });
  const { url } = configured.gateway;
  const post = async (operation: string, input: object, token: string) => {
    const response = await postJson(`${url}/call`, { operation, input }, { token });
    return { status: response.status, ...((await response.json()) as Answer) };
  };
  const list = async () => {
    const { output, error } = await post("sources/list", {}, OPERATOR);
    assert.equal(error, undefined);
    const { sources: listed } = output as { sources: readonly Listed[] };
    return Object.fromEntries(listed.map((source) => [source.name, source]));
  };
  return { ...configured, url, post, list };
}

interface Answer {
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

describe("sources/list", () => {
  test("sources/list tells how each source fares, what of it was left out, and why one is unhealthy", async (t) => {
    const bad = tool("bad", () => {}, { inputSchema: { type: "string" } });
    const fine = await startUpstream(t, { tools: [...TOOLS, bad] });
    const down = await startUpstream(t);
    await down.stop();
    const api = await startLocalApi();
    t.after(() => api.close());
    const { list } = await start(t, {
      fine: sourceOf(fine),
      down: { ...sourceOf(down), mcp: `${down.url.href}?key=hidden` },
      shop: { openapi: `${api.url}/openapi.json?key=hidden`, allowPrivate: true, external: "*" },
    });
    const listed = await list();
    assert.deepEqual(Object.keys(listed), ["down", "fine", "shop"]);
    const { lastImport, operations, leftOut, ...rest } = listed.fine ?? NONE;
    assert.deepEqual(rest, {
      name: "fine",
      kind: "mcp",
      state: "healthy",
      calls: 0,
      errors: 0,
      reconnects: 0,
    });
    assert.ok(Number(operations) > TOOLS.length);
    assert.match(String(leftOut), /^the tool "bad" takes an input that is not an object$/);
    assert.ok(Math.abs(Date.parse(String(lastImport)) - Date.now()) < 60_000);

    const { reason, ...unhealthy } = listed.down ?? NONE;
    assert.deepEqual(unhealthy, {
      name: "down",
      kind: "mcp",
      state: "unhealthy",
      operations: 0,
      code: "TRANSPORT",
      calls: 0,
      errors: 0,
      reconnects: 0,
    });
    assert.match(String(reason), /^http:\/\/127\.0\.0\.1:\d+\/mcp cannot be reached: /);
    assert.equal(listed.shop?.kind, "openapi");
    assert.deepEqual([listed.shop?.state, listed.shop?.operations], ["healthy", 4]);
    assert.ok(!("reconnects" in (listed.shop ?? NONE)));
    assert.ok(!JSON.stringify(listed).includes("hidden"));
  });

  test("sources/list counts the calls of every kind of source, their errors and how long they took", async (t) => {
    const upstream = await startUpstream(t);
    const api = await startLocalApi();
    t.after(() => api.close());
    const { list, post } = await start(t, {
      up: sourceOf(upstream),
      shop: { openapi: `${api.url}/openapi.json`, allowPrivate: true, external: "*" },
    });
    for (const word of ["a", "b", "c"]) await post("up/echo", { word }, OTHER);
    assert.equal((await post("up/fails", {}, OTHER)).error?.code, "MCP_TOOL_ERROR");
    assert.equal((await post("up/echo", {}, OTHER)).error?.code, "INVALID_INPUT", "which never gets there");
    await post("shop/getItem", { id: "1" }, OTHER);
    assert.equal((await post("shop/getItem", { id: "2" }, OTHER)).error?.code, "HTTP_404");
    const { up, shop } = await list();
    assert.deepEqual([up?.calls, up?.errors], [4, 1]);
    assert.deepEqual([shop?.calls, shop?.errors], [2, 1]);
    for (const source of [up, shop]) {
      const { p50 = 0, p95 = 0, max = 0 } = (source?.latencyMs ?? {}) as Record<string, number>;
      assert.ok(0 < p50 && p50 <= p95 && p95 <= max);
    }
  });

  test("sources/list counts connections that were made anew", async (t) => {
    const upstream = await startUpstream(t, { era: "legacy" });
    const { list, post } = await start(t, { up: sourceOf(upstream) });
    await upstream.restart();
    assert.deepEqual((await post("up/echo", { word: "a" }, OTHER)).output, { word: "a" });
    const { up } = await list();
    assert.ok(Number(up?.reconnects) >= 1, String(up?.reconnects));
  });

  test("sources/list follows reloads: what is gone is not listed, and what comes anew is counted anew", async (t) => {
    const [one, two] = [await startUpstream(t), await startUpstream(t)];
    const { list, post, configure } = await start(t, { one: sourceOf(one), two: sourceOf(two) });
    await post("one/echo", { word: "a" }, OTHER);
    await post("two/echo", { word: "a" }, OTHER);
    await configure({ identities: IDENTITIES, sources: { two: sourceOf(two) } });
    const left = await list();
    assert.deepEqual([Object.keys(left), left.two?.calls], [["two"], 1]);
    await configure({ identities: IDENTITIES, sources: { one: sourceOf(one), two: sourceOf(two) } });
    const back = await list();
    assert.deepEqual([back.one?.calls, back.two?.calls], [0, 1]);
  });

  test("sources/list does not exist in search, and is forbidden, for callers who are not operators", async (t) => {
    const upstream = await startUpstream(t);
    const { post, url } = await start(t, { up: sourceOf(upstream) });
    const { status, error } = await post("sources/list", {}, OTHER);
    assert.deepEqual([status, error?.code], [403, "FORBIDDEN"]);
    const found = async (token: string) =>
      (await getJson(`${url}/search?query=health+of+sources`, { token })).text();
    assert.ok((await found(OPERATOR)).includes("sources/list"));
    assert.ok(!(await found(OTHER)).includes("sources/list"));
    const schema = await getJson(`${url}/schema?name=sources/list`, { token: OTHER });
    assert.ok(!(await schema.text()).includes("Lists where"));
  });
});
