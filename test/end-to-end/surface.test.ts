import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import {
  defineOperation,
  definePlugin,
  type Identity,
  type Registration,
  type RuntimeOptions,
  type SourceSet,
} from "pinhole/core";
import { answerOf, postLegacy, postModern } from "../support/mcp-wire.ts";
import { scaled } from "../support/scale.ts";
import { serveRuntime } from "../support/serve.ts";

const MANY = scaled(5_000, 100_000);
const MAX_TOKENS = 700;
const MAX_BYTES = 2048;

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly _meta: Readonly<Record<string, unknown>>;
}

interface Listing {
  readonly tools: readonly Listed[];
  readonly ttlMs: number;
  readonly cacheScope: string;
}

/** Names that no tokenizer knows a word of: the dearest there are. */
function nameless(index: number, length: number): string {
  return createHash("sha512").update(String(index)).digest("hex").slice(0, length);
}

/** So many operations, spread over so many namespaces. */
function catalogue(operations: number, namespaces: number, length = 11): SourceSet {
  const made = Array.from({ length: operations }, (_, index) =>
    defineOperation({
      name: `${nameless(index % namespaces, length)}/operation-of-the-whole-enterprise-${index}`,
      type: index % 2 === 0 ? "query" : "mutation",
      description: "Does something that takes a rather long sentence to tell, and then some more.",
      handler: () => null,
    }),
  );
  return definePlugin({ name: "catalogue", description: "A large catalogue.", operations: made });
}

test("the whole surface is four tools of at most 700 tokens, with 1,000 operations behind it", async (t) => {
  const text = await list({ sources: [catalogue(1_000, 40)] });
  const { tools } = JSON.parse(text) as Listing;
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["search", "schema", "call", "batch"],
  );
  const tokens = encode(text).length;
  t.diagnostic(`The result of tools/list has ${tokens} tokens and ${Buffer.byteLength(text)} bytes.`);
  assert.ok(tokens <= MAX_TOKENS, `tools/list has ${tokens} tokens.`);
});

test("the surface is the same to the byte for ten and for very many operations of the same namespaces", async () => {
  assert.equal(await list({ sources: [catalogue(MANY, 10)] }), await list({ sources: [catalogue(10, 10)] }));
});

test("the surface is the same before and after any call, for modern and legacy clients", async (t) => {
  const server = await serveRuntime({ sources: [catalogue(20, 2)] });
  t.after(() => server.close(0));
  const before = await listAt(server.mcpUrl);
  const query = { name: "search", arguments: { query: "operation of the department" } };
  await answerOf(await postModern(server.mcpUrl, "tools/call", query));
  assert.equal(await listAt(server.mcpUrl), before);
  const legacy = await answerOf(
    await postLegacy(server.mcpUrl, { id: 1, method: "tools/list" }, { version: "2025-11-25" }),
  );
  assert.deepEqual(legacy.result?.tools, (JSON.parse(before) as Listing).tools);
});

test("no client cuts a description or the instructions short", async (t) => {
  const server = await serveRuntime({ sources: [catalogue(1_000, 40)] });
  t.after(() => server.close(0));
  const { result } = await answerOf(await postModern(server.mcpUrl, "server/discover"));
  const { tools } = JSON.parse(await listAt(server.mcpUrl)) as Listing;
  for (const text of [String(result?.instructions), ...tools.map(({ description }) => description)]) {
    assert.ok(text.length > 50, text);
    assert.ok(Buffer.byteLength(text) < MAX_BYTES, text);
  }
});

test("the annotations are true: only search and schema promise to change nothing", async () => {
  const { tools } = JSON.parse(await list({})) as Listing;
  for (const { name, annotations } of tools) {
    const reads = name === "search" || name === "schema";
    assert.equal(annotations.readOnlyHint, reads, name);
    assert.equal(annotations.idempotentHint, reads, name);
    assert.equal(annotations.openWorldHint, !reads, name);
    // Not said means that it may destroy, which is true of whatever stands behind call and batch.
    assert.notEqual(annotations.destructiveHint, false, name);
  }
});

test("the tools are loaded from the start, and their schemas have a root that every client takes", async () => {
  const { tools } = JSON.parse(await list({})) as Listing;
  for (const { name, inputSchema, _meta } of tools) {
    assert.equal(_meta["anthropic/alwaysLoad"], true, name);
    assert.equal(inputSchema.type, "object", name);
    for (const keyword of ["anyOf", "oneOf", "allOf", "$ref"]) assert.ok(!(keyword in inputSchema), name);
  }
});

test("the surface may be cached by anyone without identities, and by its caller alone with them", async () => {
  for (const [identitiesConfigured, cacheScope] of [
    [false, "public"],
    [true, "private"],
  ] as const) {
    const server = await serveRuntime({ policy: { identitiesConfigured } });
    for (const method of ["tools/list", "server/discover"]) {
      const { result } = await answerOf(await postModern(server.mcpUrl, method));
      assert.equal(result?.cacheScope, cacheScope, method);
      assert.ok(Number(result?.ttlMs) > 0, method);
    }
    await server.close(0);
  }
});

test("the search description names the namespaces that its caller can see, and no others", async (t) => {
  const guarded = (name: string, scope?: string): Registration =>
    defineOperation({
      name,
      type: "query",
      description: "Does something.",
      ...(scope !== undefined && { access: { scopes: [scope] } }),
      handler: () => null,
    });
  const operations = [
    guarded("weather/now"),
    guarded("payroll/pay", "finance"),
    guarded("ledger/read", "finance"),
    guarded("deploy/start", "operations"),
    defineOperation({
      name: "plumbing/inner",
      type: "query",
      visibility: "internal",
      description: "Internal.",
      handler: () => null,
    }),
  ];
  const people: Readonly<Record<string, Identity>> = {
    ada: { id: "ada", authenticated: true, scopes: ["finance"] },
    bob: { id: "bob", authenticated: true, scopes: ["operations"] },
  };
  const server = await serveRuntime({
    sources: [definePlugin({ name: "company", operations })],
    policy: { identitiesConfigured: true },
    resolveIdentity: async (token) => people[token],
  });
  t.after(() => server.close(0));
  assert.match(await searchDescription(server.mcpUrl), / Here: weather\.$/);
  assert.match(await searchDescription(server.mcpUrl, "ada"), / Here: ledger, payroll, weather\.$/);
  assert.match(await searchDescription(server.mcpUrl, "bob"), / Here: deploy, weather\.$/);
});

test("the search description stays short, however many and long the namespaces are", async () => {
  for (const [length, shown] of [
    [11, 12],
    [40, 3],
    [100, 1],
  ]) {
    const { tools } = JSON.parse(await list({ sources: [catalogue(400, 400, length)] })) as Listing;
    const [, named = "", more] = /Here: (.*) and (\d+) more\.$/.exec(tools[0]?.description ?? "") ?? [];
    assert.equal(named.split(", ").length, shown);
    assert.ok(named.length <= 160);
    assert.equal(Number(more), 400 - Number(shown));
  }
  const endless = defineOperation({
    name: `${"a".repeat(190)}/b`,
    type: "query",
    description: "Endless.",
    handler: () => null,
  });
  const { tools } = JSON.parse(
    await list({ sources: [definePlugin({ name: "one", operations: [endless] })] }),
  ) as Listing;
  assert.match(tools[0]?.description ?? "", / Here: one namespace\.$/);
});

async function searchDescription(url: URL, token?: string): Promise<string> {
  const { tools } = JSON.parse(await listAt(url, token)) as Listing;
  return tools[0]?.description ?? "";
}

/** The result of tools/list, as it is on the wire, of a server with these options. */
async function list(options: RuntimeOptionsLike): Promise<string> {
  const server = await serveRuntime(options);
  try {
    return await listAt(server.mcpUrl);
  } finally {
    await server.close(0);
  }
}

type RuntimeOptionsLike = Pick<RuntimeOptions, "sources" | "policy">;

async function listAt(url: URL, token?: string): Promise<string> {
  const { result } = await answerOf(
    await postModern(url, "tools/list", {}, token === undefined ? {} : { token }),
  );
  return JSON.stringify(result);
}
