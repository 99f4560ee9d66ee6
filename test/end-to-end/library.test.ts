import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { ConfigError, defineSource, EVERY_KIND, fromMcp, type SourceOf, startSource } from "pinhole/adapters";
import { connectPeer } from "pinhole/client";
import {
  type AuditEntry,
  createLimits,
  createRuntime,
  defineOperation,
  definePlugin,
  keepImported,
  type Runtime,
  type RuntimeOptions,
} from "pinhole/core";
import { toCall, toHttp, toMcp, toNodeHandler } from "pinhole/projections";
import { answerOf, modernBody, modernHeaders, resultOf } from "../support/mcp-wire.ts";

const whoAmI = defineOperation({
  name: "demo/who",
  type: "query",
  description: "The caller.",
  handler: (_, { principal }) => principal.id,
});

function guarded(options: Partial<RuntimeOptions> = {}): Runtime {
  return createRuntime({
    sources: [definePlugin({ name: "demo", operations: [whoAmI] })],
    policy: { anonymous: false, identitiesConfigured: true },
    resolveIdentity: async (token) =>
      token === "key" ? { id: "ada", authenticated: true, scopes: [] } : undefined,
    ...options,
  });
}

const JSON_BODY = { "content-type": "application/json" };
const CALL = JSON.stringify({ operation: "demo/who" });
const callRequest = (headers: Record<string, string> = {}, body = CALL) =>
  new Request("https://tools.example.com/call", {
    method: "POST",
    headers: { ...JSON_BODY, ...headers },
    body,
  });

test("mounted HTTP authenticates callers, limits them and writes the audit of the runtime", async () => {
  const entries: AuditEntry[] = [];
  const runtime = guarded({
    audit: (entry) => void entries.push(entry),
    limits: createLimits({ callsPerSecond: 1 }, { now: () => 0, wait: async () => {} }),
  });
  const http = toHttp(runtime);
  assert.equal((await http(callRequest())).status, 401);
  assert.equal((await http(callRequest({ authorization: "Bearer wrong" }))).status, 401);
  const response = await http(callRequest({ authorization: "Bearer key" }));
  assert.equal(((await response.json()) as { output: unknown }).output, "ada");
  assert.deepEqual(
    entries.map(({ principal, operation, outcome }) => [principal, operation, outcome]),
    [["ada", "demo/who", "ok"]],
  );
  assert.equal((await http(callRequest({ authorization: "Bearer key" }))).status, 429);
  assert.equal((await http(new Request("https://tools.example.com/other"))).status, 404);
});

test("a mounted projection reads the credential where the program says, and bodies within its limit", async () => {
  const tokenOf = (request: Request) => request.headers.get("x-session") ?? undefined;
  const http = toHttp(guarded(), { tokenOf, maxBodyBytes: 100 });
  const response = await http(callRequest({ "x-session": "key" }));
  assert.equal(((await response.json()) as { output: unknown }).output, "ada");
  const large = JSON.stringify({ operation: "demo/who", input: { text: "x".repeat(200) } });
  assert.equal((await http(callRequest({ "x-session": "key" }, large))).status, 413);
});

test("without identities a mounted projection answers only under names of this machine", async () => {
  const http = toHttp(createRuntime());
  assert.equal((await http(new Request("http://tools.example.com/search"))).status, 403);
  assert.equal((await http(new Request("http://localhost/search"))).status, 200);
});

test("mounted MCP answers at any address under the caller's identity", async () => {
  const mcp = toMcp(guarded());
  const request = (token?: string) =>
    new Request("https://tools.example.com/anywhere", {
      method: "POST",
      headers: {
        ...JSON_BODY,
        ...modernHeaders("tools/call", "call"),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(modernBody("tools/call", { name: "call", arguments: { operation: "demo/who" } })),
    });
  assert.equal((await mcp(request())).status, 401);
  const result = resultOf(await answerOf(await mcp(request("key"))));
  assert.match(JSON.stringify(result), /ada/);
});

test("the mounted call protocol demands a token and calls under its identity", async (t) => {
  const calls = toCall(guarded());
  const server = createServer(toNodeHandler(toHttp(guarded()))).on("upgrade", calls.upgrade);
  const url = await listen(t, server);
  t.after(() => calls.close(0));
  await assert.rejects(connectPeer(url.replace("http", "ws")));
  const peer = await connectPeer(url.replace("http", "ws"), { token: "key" });
  assert.equal(await peer.call("demo/who"), "ada");
  peer.close();
});

test("a server that cannot be reached is an unhealthy source with the reason", async (t) => {
  const source = await fromMcp({ name: "gone", url: "http://127.0.0.1:9/mcp", allowPrivate: true });
  t.after(() => source.close());
  const health = source.health();
  assert.equal(health.state, "unhealthy");
  assert.match("reason" in health ? health.reason : "", /127\.0\.0\.1:9/);
  assert.equal(source.set(), undefined);
});

test("a key that a kind of source does not have is refused with the nearest one", async () => {
  const options = { name: "up", url: "http://127.0.0.1:9/mcp", allowPrvate: true };
  await assert.rejects(fromMcp(options), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /sources\.up.*allowPrivate/s);
    return true;
  });
});

const WORDS = { words: { type: "string" }, ...EVERY_KIND } as const;

test("a kind of source of one's own is started, attached, refreshed and removed", async () => {
  let word = "one";
  const kind = defineSource<SourceOf<"words", typeof WORDS>>({
    kind: "words",
    keys: WORDS,
    rules: () => [],
    secrets: () => ({ forAll: {}, discovery: {} }),
    addresses: () => [],
    claims: () => false,
    inspect: async () => ({ problem: "not inspected" }),
    advise: () => undefined,
    start: async ({ name }, { log, onSet }) =>
      keepImported({
        name,
        log,
        refreshMs: 60_000,
        onSet,
        attempt: async () => ({
          leftOut: [],
          set: definePlugin({
            name,
            operations: [
              defineOperation({
                name: `${name}/${word}`,
                type: "query",
                description: "A word.",
                handler: () => 1,
              }),
            ],
          }),
        }),
      }),
  });
  const { registry } = createRuntime();
  const source = await startSource(kind, { name: "own", words: "two" });
  source.attach(registry);
  const names = () =>
    [...registry.snapshot().entriesIn("own")].map(({ registration }) => registration.spec.name);
  assert.deepEqual(names(), ["own/one"]);
  word = "two";
  await source.refresh();
  assert.deepEqual(names(), ["own/two"]);
  await source.close();
  assert.deepEqual(names(), []);
});

async function listen(t: TestContext, server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
