import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Capabilities, type Progress } from "pinhole/core";
import {
  type Era,
  type Exchange,
  type Intercept,
  importUpstream,
  ScriptedUpstream,
  tool,
} from "../support/scripted-upstream/index.ts";

const ECHO = { word: "hi" };
const answer = (exchange: Exchange) => exchange.text("fine");

/** A schema that is nested as deep as asked for. */
function nested(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level++) schema = { type: "array", items: schema };
  return { type: "object", properties: { deep: schema } };
}

/** Something that a hostile or careless server puts among its tools, and why it is left out. */
const BAD: readonly (readonly [title: string, definition: unknown, reason: RegExp])[] = [
  [
    "a tool of the same name",
    { name: "fine", inputSchema: { type: "object" } },
    /two tools would be named up\/fine; the first one stays/,
  ],
  [
    "a tool whose name becomes the same",
    { name: "fi ne", inputSchema: { type: "object" } },
    /two tools would be named up\/fi_ne/,
  ],
  ["no object", "tool", /the tool "" has no name/],
  ["nothing", null, /the tool "" has no name/],
  ["no name", { inputSchema: { type: "object" } }, /the tool "" has no name/],
  [
    "an empty name",
    { name: "", inputSchema: { type: "object" } },
    /the tool "" has a name that cannot be used: it is not of the form/,
  ],
  [
    "a name without end",
    { name: "n".repeat(300), inputSchema: { type: "object" } },
    /the tool "n{100}" has a name that cannot be used: it is longer than 200 characters/,
  ],
  ["no schema", { name: "bad" }, /the tool "bad" has no schema for its input/],
  [
    "a schema that is a text",
    { name: "bad", inputSchema: "object" },
    /the tool "bad" has no schema for its input/,
  ],
  [
    "a schema for a text",
    { name: "bad", inputSchema: { type: "string" } },
    /the tool "bad" takes an input that is not an object/,
  ],
  [
    "a description that is a number",
    { name: "bad", description: 5, inputSchema: { type: "object" } },
    /the tool "bad" has a definition that MCP does not allow/,
  ],
  [
    "a schema as deep as a well",
    { name: "bad", inputSchema: nested(200) },
    /the tool "bad" is nested deeper than 100 levels/,
  ],
  [
    "a definition as long as a book",
    { name: "bad", description: "x".repeat(300_000), inputSchema: { type: "object" } },
    /the tool "bad" has a definition of more than 262144 bytes/,
  ],
];

for (const era of ["modern", "legacy"] satisfies Era[]) {
  describe(`the import of a ${era} upstream`, () => {
    for (const [title, definition, reason] of BAD) {
      test(`leaves out ${title}, with a warning, and nothing else`, async (t) => {
        const bad = { definition: definition as { name: string }, run: () => {} };
        const tools = [
          tool("fine", answer),
          tool("fi/_ne", answer),
          tool("fi_ne", answer),
          bad,
          tool("last", answer),
        ];
        const { source, names, log, call } = await importUpstream(t, {
          era,
          tools,
          capabilities: { tools: {} },
        });
        assert.deepEqual(names(), ["fine", "fi/_ne", "fi_ne", "last"]);
        const health = source.health();
        assert.match(health.state === "healthy" ? health.leftOut.join() : "", reason);
        assert.deepEqual(
          log.entries.map(({ message }) => message),
          ["An operation was left out"],
        );
        assert.match(String(log.entries[0]?.fields.reason), reason);
        assert.deepEqual((await call("fine")).output, { content: [{ type: "text", text: "fine" }] });
        await source.refresh();
        assert.equal(log.entries.length, 1, "it is said once, not at each reading of the same list");
      });
    }

    test("survives a schema that is too deep to be walked at all", async (t) => {
      const upstream = new ScriptedUpstream({ era, tools: [], capabilities: { tools: {} } });
      upstream.intercept = (rpc, exchange) => {
        if (rpc.method !== "tools/list") return;
        const fine = { name: "fine", inputSchema: { type: "object" } };
        const list = exchange.success({ tools: [fine, "DEEP"], ttlMs: 0, cacheScope: "private" });
        const deep = `{"name":"bad","inputSchema":{"type":"object","default":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
        const text = JSON.stringify(list).replace('"DEEP"', deep);
        exchange.body(text, { "content-type": "application/json" });
      };
      const { names, source } = await importUpstream(t, await upstream.start());
      assert.deepEqual(names(), ["fine"], JSON.stringify(source.health()));
    });

    test("reads all pages of the list", async (t) => {
      for (const [count, pageSize, pages] of [
        [25, 10, 3],
        [70, 1, 70],
      ] as const) {
        const tools = Array.from({ length: count }, (_, index) => tool(`tool_${index}`, answer));
        const capabilities = { tools: {} };
        const { names, upstream } = await importUpstream(t, { era, tools, pageSize, capabilities });
        assert.equal(names().length, count);
        assert.equal(upstream.count("tools/list"), pages);
      }
    });

    test(`a ${era} upstream is not imported again before the time that it asked for`, async (t) => {
      const upstream = new ScriptedUpstream({ era });
      let asked = 0;
      upstream.intercept = (_, exchange) => {
        asked++;
        return exchange.status(429, { "retry-after": "60" });
      };
      const { source } = await importUpstream(t, await upstream.start(), { token: "token-123" });
      const reason = () => {
        const health = source.health();
        return health.state === "unhealthy" ? `${health.code}: ${health.reason}` : health.state;
      };
      assert.match(reason(), /^TRANSPORT: .*asks? to wait.* Wait (60|59) s/);
      const before = asked;
      await source.refresh();
      assert.match(reason(), /^TRANSPORT: .* has asked to wait, so that it was not called\. Wait (60|59) s/);
      assert.equal(asked, before);
    });

    test(`the import of a ${era} upstream that does not answer in MCP fails with a sentence, and succeeds later`, async (t) => {
      const upstream = new ScriptedUpstream({ era });
      const cases: readonly (readonly [Intercept, string, RegExp])[] = [
        [
          (_, exchange) => exchange.status(404, {}, "token-123 was sent"),
          "DISCOVERY_FAILED",
          /\/mcp answers, but not as an MCP server: it answered with HTTP 404$/,
        ],
        [
          (_, exchange) => exchange.status(500),
          "TRANSPORT",
          /\/mcp cannot be reached: it answered with HTTP 500$/,
        ],
        [
          (_, exchange) => exchange.body("<html>", { "content-type": "text/html" }),
          "DISCOVERY_FAILED",
          /answers, but not as an MCP server/,
        ],
        [
          (_, exchange) => exchange.body("{", { "content-type": "application/json" }),
          "DISCOVERY_FAILED",
          /answers, but not as an MCP server/,
        ],
        [
          (_, exchange) => exchange.error(-32603, "token-123 is not known"),
          "DISCOVERY_FAILED",
          /not as an MCP server: \[redacted\] is not known$/,
        ],
        [(_, exchange) => exchange.die(), "TRANSPORT", /broke midway/],
        [
          (_, exchange) => exchange.status(401),
          "UNAUTHORIZED",
          /\/mcp refused the credential\. Set or renew the source's token\.$/,
        ],
        [(_, exchange) => exchange.status(403), "UNAUTHORIZED", /refused the credential/],
      ];
      upstream.intercept = cases[0]?.[0];
      const { source, log, call } = await importUpstream(t, await upstream.start(), { token: "token-123" });
      for (const [intercept, code, reason] of cases) {
        upstream.intercept = intercept;
        await source.refresh();
        const health = source.health();
        assert.equal(health.state === "unhealthy" ? health.code : health.state, code, String(reason));
        assert.match(health.state === "unhealthy" ? health.reason : "", reason);
      }
      upstream.intercept = undefined;
      await source.refresh();
      assert.equal(source.health().state, "healthy");
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
      assert.ok(!log.text().includes("token-123"));
    });

    test(`the import of a ${era} upstream succeeds after a 401, and a call that meets one fails alone`, async (t) => {
      const upstream = new ScriptedUpstream({ era });
      let refusals = 1;
      upstream.intercept = (rpc, exchange) => {
        const isRefused = (rpc.method === "tools/list" || rpc.method === "tools/call") && refusals-- > 0;
        if (isRefused) exchange.status(401);
      };
      const { source, call } = await importUpstream(t, await upstream.start(), { token: "token-123" });
      assert.equal(source.health().state, "unhealthy");
      await source.refresh();
      assert.equal(source.health().state, "healthy");
      refusals = 1;
      const { error } = await call("echo", ECHO);
      assert.deepEqual([error?.code, error?.retryable], ["UNAUTHORIZED_UPSTREAM", false]);
      assert.equal(upstream.runs("echo"), 0);
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
    });

    test(`operations of a ${era} upstream stay imported while the server cannot be reached`, async (t) => {
      const { upstream, source, names } = await importUpstream(t, { era });
      upstream.intercept = (rpc, exchange) => {
        if (rpc.method === "tools/list") exchange.status(500);
      };
      const before = names();
      await source.refresh();
      assert.equal(source.health().state, "unhealthy");
      assert.deepEqual(names(), before);
    });
  });

  describe(`what a ${era} upstream answers`, () => {
    test(`the answer of a ${era} upstream is its structured data, or else its content; text stays text`, async (t) => {
      const { call, upstream } = await importUpstream(t, { era });
      const outputs = {
        echo: ECHO,
        undeclared: { any: "shape" },
        no_content: { only: "data" },
        text: { content: [{ type: "text", text: '{"looks":"like JSON"}' }] },
        image: { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] },
        not_structured: { content: [{ type: "text", text: "3" }] },
      };
      for (const [name, output] of Object.entries(outputs))
        assert.deepEqual((await call(name, ECHO)).output, output, name);
      const before = upstream.seen.length;
      const { error } = await call("echo", { word: 5 });
      assert.equal(error?.code, "INVALID_INPUT");
      assert.equal(upstream.seen.length, before, "what does not fit is not even sent");
    });

    test("comes with its progress, and arguments are mirrored into headers where that is declared", async (t) => {
      const { call } = await importUpstream(t, { era });
      const progress: Progress[] = [];
      await call("progresses", {}, { progress: (update) => progress.push(update) });
      assert.deepEqual(progress, [
        { progress: 1, total: 2, message: "half" },
        { progress: 2, total: 2 },
      ]);
      const { output } = await call("mirrored", { region: "eu" });
      assert.deepEqual(output, era === "modern" ? { region: "eu", mirror: "eu" } : { region: "eu" });
    });

    test("includes the templates of resources, of which a server need not have any", async (t) => {
      const { call, upstream } = await importUpstream(t, { era });
      assert.deepEqual((await call("list_resource_templates")).output, {
        resourceTemplates: [],
        nextCursor: undefined,
      });
      const resourceTemplates = [{ uriTemplate: "file:///{name}.txt", name: "text" }];
      upstream.intercept = (rpc, exchange) => {
        const cacheable = era === "modern" ? { ttlMs: 0, cacheScope: "private" } : {};
        if (rpc.method === "resources/templates/list") exchange.result({ resourceTemplates, ...cacheable });
      };
      const listed = await call("list_resource_templates");
      assert.deepEqual(listed.output, { resourceTemplates, nextCursor: undefined });
    });

    test("includes resources and prompts, as queries", async (t) => {
      const { call } = await importUpstream(t, { era });
      const resources = [{ uri: "file:///a.txt", name: "a" }];
      assert.deepEqual((await call("list_resources")).output, { resources, nextCursor: "2" });
      const second = { resources: [{ uri: "file:///b.txt", name: "b" }], nextCursor: undefined };
      assert.deepEqual((await call("list_resources", { cursor: "2" })).output, second);
      const resource = { uri: "file:///a.txt", mimeType: "text/plain", text: "content of a" };
      const read = await call("read_resource", { uri: "file:///a.txt" });
      assert.deepEqual(read.output, { content: [{ type: "resource", resource }] });
      const missing = await call("read_resource", { uri: "file:///x" });
      assert.deepEqual([missing.error?.code, missing.error?.retryable], ["INVALID_INPUT", false]);
      assert.deepEqual((await call("list_prompts")).output, {
        prompts: [{ name: "greet" }],
        nextCursor: undefined,
      });
      const content = { type: "text", text: "Greet Ada." };
      const { output } = await call("get_prompt", { name: "greet", arguments: { who: "Ada" } });
      assert.deepEqual(output, { description: undefined, messages: [{ role: "user", content }] });
    });

    test(`a call to a ${era} upstream carries the credential of the principal, on a connection of its own`, async (t) => {
      const capabilities = ({ id }: { readonly id: string }) => new Capabilities({ token: `of-${id}` });
      const { call, upstream } = await importUpstream(t, { era }, { token: "of-discovery", capabilities });
      const as = (id: string) => ({ identity: { id, authenticated: true, scopes: [] } });
      for (const id of ["ada", "bob", "ada"]) await call("echo", ECHO, as(id));
      const sent = (method: string) =>
        upstream.seen.filter((seen) => seen.method === method).map(({ headers }) => headers.authorization);
      assert.deepEqual(sent("tools/call"), ["Bearer of-ada", "Bearer of-bob", "Bearer of-ada"]);
      assert.deepEqual(sent("tools/list"), ["Bearer of-discovery"]);
      assert.equal(upstream.count("server/discover"), 3, "one connection for each credential");
    });
  });
}
