import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { completeSpec } from "../../src/core/index.ts";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { CLIENTS } from "../support/mcp-clients.ts";

const FOUR = ["search", "schema", "call", "batch"];
const NOTES = { notes: ["notes/*"] };

async function connect(t: TestContext, url: URL | string, token?: string) {
  const client = new Client({ name: "facets", version: "0" }, { versionNegotiation: { mode: "auto" } });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  t.after(() => client.close());
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    tools: async () => (await client.listTools()).tools,
    call: async (name: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name, arguments: args })) as {
        structuredContent?: Record<string, unknown>;
        isError?: boolean;
      },
  };
}

const outputOf = ({ structuredContent }: { structuredContent?: Record<string, unknown> }) =>
  structuredContent?.output;

/** A plugin with a query that writes by calling something else. */
const TIDY = `import { defineOperation, definePlugin } from ${JSON.stringify(new URL("../../src/core.ts", import.meta.url).href)};
  export default definePlugin({ name: "tidy", operations: [defineOperation({ name: "tidy/look", type: "query",
    description: "Looks, and writes down that it did.", composes: ["notes/*"],
    handler: (_, { env }) => env.invoke("notes/add", { text: "looked" }) })] });`;

describe("an exposed facet", () => {
  test("an exposed facet is listed as tools after the four, for every client, and they run", async (t) => {
    const { mcpUrl } = await startConfig(t, { facets: NOTES, mcp: { expose: ["core", "notes"] } });
    for (const [name, connectClient] of Object.entries(CLIENTS)) {
      const client = await connectClient(mcpUrl);
      t.after(() => client.close());
      assert.deepEqual(
        (await client.list()).map((tool) => tool.name),
        [...FOUR, "notes_add", "notes_erase", "notes_list"],
        name,
      );
      assert.deepEqual((await client.call("notes_add", { text: name })).structuredContent, { text: name });
      const refused = await client.call("notes_add", {});
      assert.equal(refused.isError, true);
      assert.match(JSON.stringify(refused.structuredContent), /INVALID_INPUT/);
    }
  });

  test("an exposed facet says of each tool whether it writes", async (t) => {
    const { mcpUrl } = await startConfig(t, { facets: NOTES, mcp: { expose: ["core", "notes"] } });
    const { tools } = await connect(t, mcpUrl);
    const hints = (await tools()).map(({ name, annotations }) => [name, annotations?.readOnlyHint]);
    assert.deepEqual(hints.slice(4), [
      ["notes_add", false],
      ["notes_erase", false],
      ["notes_list", true],
    ]);
  });

  test("an exposed facet lists to each caller only what it may see, and the rest does not exist for it", async (t) => {
    const { token, tokenHash } = newToken();
    const { mcpUrl } = await startConfig(t, {
      identities: [{ id: "ada", tokenHash, scopes: ["tags"] }],
      facets: { all: ["notes/list", "tags/*"] },
      mcp: { expose: ["core", "all"] },
    });
    const [anonymous, ada] = [await connect(t, mcpUrl), await connect(t, mcpUrl, token)];
    assert.deepEqual((await anonymous.names()).slice(4), ["notes_list"]);
    assert.deepEqual((await ada.names()).slice(4), ["notes_list", "tags_list"]);
    assert.deepEqual((await ada.call("tags_list")).structuredContent, { tags: [] });
    await assert.rejects(anonymous.call("tags_list"), /no tool "tags_list"/);
    await assert.rejects(anonymous.call("made_up"), /no tool "made_up"/);
  });

  test("an exposed facet alone, without core, is all that there is", async (t) => {
    const { mcpUrl } = await startConfig(t, { facets: NOTES, mcp: { expose: ["notes"] } });
    const { names, call } = await connect(t, mcpUrl);
    assert.deepEqual(await names(), ["notes_add", "notes_erase", "notes_list"]);
    await assert.rejects(call("search", { query: "notes" }), /no tool "search"/);
  });

  test("an exposed facet that changes is told to clients that listen, on reload and when it goes", async (t) => {
    const { mcpUrl, reload } = await startConfig(t, { facets: NOTES });
    const { client, names } = await connect(t, mcpUrl);
    let told = 0;
    let next: () => void = () => {};
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      told++;
      next();
    });
    await client.listen({ toolsListChanged: true });
    const telling = () => new Promise<void>((resolve) => (next = resolve));

    let heard = telling();
    await reload({ facets: NOTES, mcp: { expose: ["core", "notes"] } });
    await heard;
    assert.equal((await names()).length, 7);
    heard = telling();
    await reload({ facets: NOTES, mcp: { expose: ["core", "notes"] }, deny: ["notes/erase"] });
    await heard;
    assert.equal((await names()).length, 6);
    const before = told;
    await reload({
      facets: NOTES,
      mcp: { expose: ["core", "notes"] },
      deny: ["notes/erase"],
      log: { level: "info" },
    });
    assert.equal(told, before, "what stays the same is no news");
  });
});

test("search and call keep to what is exposed where the config says so", async (t) => {
  const mcp = { expose: ["core", "reads"], reach: "exposed" };
  const { mcpUrl } = await startConfig(t, { facets: { reads: ["notes/list"] }, mcp });
  const { names, call } = await connect(t, mcpUrl);
  assert.deepEqual(await names(), [...FOUR, "notes_list"]);
  const found = JSON.stringify((await call("search", { query: "notes" })).structuredContent);
  assert.ok(found.includes("notes/list") && !found.includes("notes/add"));
  const outside = await call("call", { operation: "notes/add", input: { text: "x" } });
  assert.match(JSON.stringify(outside.structuredContent), /"NOT_FOUND"/);
});

describe("a facet with an address of its own", () => {
  test("a facet with an address of its own has the four tools beside its own, and search and call do not leave it", async (t) => {
    const { url } = await startConfig(t, { facets: { reads: ["notes/list"] } });
    const { names, call } = await connect(t, `${url}/mcp/reads`);
    assert.deepEqual(await names(), [...FOUR, "notes_list"]);
    const found = (await call("search", { query: "add a note" })).structuredContent;
    assert.ok(!JSON.stringify(found).includes("notes/add"));
    const outside = await call("call", { operation: "notes/add", input: { text: "x" } });
    assert.match(JSON.stringify(outside.structuredContent), /"NOT_FOUND"/);
    const inside = await call("call", { operation: "notes/list" });
    assert.ok(!inside.isError);
    assert.equal((await fetch(`${url}/mcp/nope`, { method: "POST" })).status, 404);
  });

  test("a facet with an address of its own is not told apart from a name that does not exist by a caller who sees nothing of it", async (t) => {
    const { token, tokenHash } = newToken();
    const [sees, blind] = [{ id: "ada", tokenHash, scopes: ["tags"] }, newToken()];
    const { url } = await startConfig(t, {
      facets: { tagged: ["tags/*"] },
      identities: [sees, { id: "bob", tokenHash: blind.tokenHash }],
    });
    const answer = async (path: string, method: string, presented: string) => {
      const headers = { authorization: `Bearer ${presented}`, "content-type": "application/json" };
      const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : null;
      const response = await fetch(`${url}/mcp/${path}`, { method, headers, body });
      const shown = [...response.headers].filter(([name]) => name !== "date");
      return { status: response.status, shown, text: await response.text() };
    };
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      const hidden = await answer("tagged", method, blind.token);
      assert.deepEqual(hidden, await answer("no-such", method, blind.token), method);
      assert.deepEqual(hidden.status, 404);
    }
    assert.notEqual((await answer("tagged", "POST", token)).status, 404);
  });

  test("a facet with an address of its own is all that is served with mcp.only, on plain HTTP too", async (t) => {
    const { url, mcpUrl } = await startConfig(t, {
      facets: { reads: ["notes/list"] },
      mcp: { only: "reads" },
    });
    const { names } = await connect(t, mcpUrl);
    assert.deepEqual(await names(), [...FOUR, "notes_list"]);
    assert.equal((await postJson(`${url}/call`, { operation: "notes/list" })).status, 200);
    assert.equal((await postJson(`${url}/call`, { operation: "notes/erase" })).status, 404);
    assert.equal((await fetch(`${url}/mcp/reads`, { method: "POST" })).status, 404);
  });
});

describe("the tool that only reads", () => {
  test("the tool that only reads runs queries, marked as reading, and sends writes to call", async (t) => {
    const { mcpUrl } = await startConfig(t, { mcp: { expose: ["core", "query"] } });
    const { tools, call } = await connect(t, mcpUrl);
    const listed = await tools();
    assert.deepEqual(
      listed.map(({ name }) => name),
      [...FOUR, "query"],
    );
    assert.equal(listed.at(-1)?.annotations?.readOnlyHint, true);
    assert.ok(!(await call("query", { operation: "notes/list" })).isError);
    const write = await call("query", { operation: "notes/add", input: { text: "x" } });
    assert.match(JSON.stringify(write.structuredContent), /INVALID_OPERATION_TYPE.*Use call/);
    const unknown = await call("query", { operation: "notes/nope" });
    assert.match(JSON.stringify(unknown.structuredContent), /NOT_FOUND/);
  });
});

describe("what a query calls further down", () => {
  test("what a query calls further down writes nothing where only reading is let pass, and the answer says why", async (t) => {
    const config = {
      sources: { tidy: { plugin: "./tidy.ts" } },
      facets: { looking: { operations: ["tidy/*"], mutations: "deny" } },
      mcp: { expose: ["core", "query"] },
    };
    const { directory, reload, mcpUrl } = await startConfig(t);
    await writeFile(join(directory, "tidy.ts"), TIDY);
    await reload(config);
    const { call } = await connect(t, mcpUrl);
    const before = await call("call", { operation: "notes/list" });
    const looking = await connect(t, `${mcpUrl}/looking`);
    for (const answer of [
      await call("query", { operation: "tidy/look" }),
      await looking.call("call", { operation: "tidy/look" }),
      await looking.call("tidy_look"),
    ]) {
      assert.match(JSON.stringify(answer.structuredContent), /FORBIDDEN.*A step of tidy\/look would change/);
    }
    assert.deepEqual(await call("call", { operation: "notes/list" }).then(outputOf), outputOf(before));
    assert.ok(!(await call("call", { operation: "tidy/look" })).isError);
  });
});

describe("at the start", () => {
  test("the log says which facets are listed and what decided it", async (t) => {
    const { logged } = await startConfig(t, { facets: NOTES, mcp: { expose: ["core", "notes"] } });
    assert.match(
      logged(),
      /"Lists tools","facets":\["core","notes"\],"by":"mcp.expose","tools":7,"tokens":\d+/,
    );
  });

  test("a list over its budget warns, or refuses to start where it was told to", async (t) => {
    const mcp = { expose: ["core", "notes"], budgetTokens: 100 };
    const { logged } = await startConfig(t, { facets: NOTES, mcp });
    assert.match(
      logged(),
      /7 listed tools and the instructions cost a model about \d+ tokens, more than the budget of 100\. Expose fewer/,
    );
    await assert.rejects(
      startConfig(t, { facets: NOTES, mcp: { ...mcp, overBudget: "refuse" } }),
      /more than the budget of 100/,
    );
  });
});

describe("later", () => {
  test("a config that brings the list over its budget is refused where it says so, and the old one stays", async (t) => {
    const mcp = { expose: ["core"], budgetTokens: 650, overBudget: "refuse" };
    const { reload, mcpUrl, logged } = await startConfig(t, { facets: NOTES, mcp });
    const { names } = await connect(t, mcpUrl);
    const wider = { ...mcp, expose: ["core", "notes"] };
    await assert.rejects(
      reload({ facets: NOTES, mcp: wider }),
      /7 listed tools .* more than the budget of 650/,
    );
    assert.deepEqual(await names(), FOUR);
    await reload({ facets: NOTES, mcp: wider, deny: ["notes/*"] });
    assert.deepEqual(await names(), FOUR);
    assert.doesNotMatch(logged(), /more than the budget/);
    await assert.rejects(
      reload({ facets: NOTES, mcp: wider, deny: [] }),
      /more than the budget of 650/,
      "what is denied so far counts where it will not be",
    );
  });

  test("what a server adds is told where it cannot be a tool or costs too much, and only once", async (t) => {
    const { gateway, logged } = await startConfig(t, {
      facets: { all: ["*"] },
      mcp: { expose: ["core", "all"], overBudget: "refuse" },
    });
    const offered = (names: readonly string[], description = "") => ({
      source: { name: "late" },
      registrations: names.map((name) => ({
        spec: completeSpec({ name, type: "query", description }),
        handler: { kind: "once" as const, run: () => 1 },
        provenance: "from-mcp" as const,
      })),
    });
    const times = (text: string) => logged().split(text).length - 1;
    const untilTold = async (text: string) => {
      while (times(text) === 0) await new Promise(setImmediate);
    };
    const long = "A text. ".repeat(900);
    gateway.registry.apply({ replace: [offered(["late/a_b", "late/a/b"])] });
    await untilTold('"operation":"late/a/b"');
    gateway.registry.apply({ replace: [offered(["late/a_b", "late/a/b", "late/c"], long)] });
    await untilTold("more than the budget of 2500");
    gateway.registry.apply({
      replace: [offered(["late/a_b", "late/a/b", "late/c", "late/d_e", "late/d/e"], long)],
    });
    await untilTold('"operation":"late/d/e"');
    assert.equal(times('"operation":"late/a_b","reason"'), 1);
    assert.equal(times("more than the budget of 2500"), 1);
  });
});

test("mutations run dry in a facet that says so, by whichever tool they are called", async (t) => {
  const { mcpUrl } = await startConfig(t, {
    facets: { notes: { operations: ["notes/*"], mutations: "dry" } },
    mcp: { expose: ["core", "notes"] },
  });
  const { call } = await connect(t, mcpUrl);
  assert.equal((await call("notes_add", { text: "x" })).structuredContent?.dryRun, true);
  const called = await call("call", { operation: "notes/add", input: { text: "x" } });
  assert.match(JSON.stringify(called.structuredContent), /"dryRun":true/);
});
