import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLimits } from "pinhole/core";
import { modernBody, modernHeaders } from "../support/mcp-wire.ts";
import { serveRuntime } from "../support/serve.ts";

const AT_ONCE = 20;

const post = (path: string, body: unknown, headers = { "content-type": "application/json" }) =>
  [path, { method: "POST", headers, body: JSON.stringify(body) }] as const;

const mcp = (method: string, params: { readonly name?: string } = {}) =>
  post("/mcp", modernBody(method, params), modernHeaders(method, params.name) as { "content-type": string });

/** What the SDK refuses: the headers of another tool, or of a revision that there is not. */
const refusedBySdk = (headers: Readonly<Record<string, string>>) => {
  const params = { name: "call", arguments: { operation: "services/search", input: { query: "x" } } };
  return post("/mcp", modernBody("tools/call", params), {
    ...modernHeaders("tools/call", params.name),
    ...headers,
  } as { "content-type": string });
};

const legacy = (method: string, params: object = {}) =>
  post("/mcp", { jsonrpc: "2.0", id: 1, method, params }, {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  } as { "content-type": string });

const CUT = { method: "POST", headers: { "content-type": "application/json" }, body: '{"cut' };

/** What a caller can ask for beside a call that is run. */
const REQUESTS: Readonly<Record<string, readonly [string, RequestInit]>> = {
  "the list of tools": mcp("tools/list"),
  "the list of tools, of an older client": legacy("tools/list"),
  "a tool that there is not": mcp("tools/call", { name: "nothing" }),
  "a tool with wrong arguments": mcp("tools/call", { name: "call" }),
  "a call whose headers name another tool": refusedBySdk({ "mcp-name": "search" }),
  "a call of an unknown revision": refusedBySdk({ "mcp-protocol-version": "1999-01-01" }),
  "a call that accepts no answer": refusedBySdk({ accept: "text/html" }),
  "a call of an older client": legacy("tools/call", {
    name: "call",
    arguments: { operation: "services/search", input: { query: "x" } },
  }),
  "a call of an older client with wrong arguments": legacy("tools/call", { name: "call" }),
  resources: mcp("resources/list"),
  prompts: mcp("prompts/list"),
  discovery: mcp("server/discover"),
  "the handshake of an older client": legacy("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  }),
  "the document": ["/openapi.json", {}],
  "a search": ["/search?query=x", {}],
  "a schema": ["/schema?name=services/search", {}],
  "a wrong method": ["/call", {}],
  "a body that is not JSON": ["/call", { method: "POST", body: "x" }],
  "a body that is cut": ["/call", CUT],
  "a body that is cut, over MCP": ["/mcp", CUT],
  "a call without an operation": post("/call", {}),
  "a batch that is empty": post("/batch", { calls: [] }),
};

describe("the limits of a caller", { concurrency: true }, () => {
  for (const [name, [path, init]] of Object.entries(REQUESTS)) {
    test(`the limits of a caller hold for ${name}`, async (t) => {
      const server = await serveRuntime({ limits: createLimits({ callsPerSecond: 0.1 }) });
      t.after(() => server.close(0));
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          const response = await fetch(new URL(path, server.url), init);
          const text = await response.text();
          return response.status === 429 || text.includes("Nothing was called.");
        }),
      );
      const refused = answers.filter((isRefused) => isRefused).length;
      assert.ok(refused >= AT_ONCE - 5 && refused < AT_ONCE, `${refused} of ${AT_ONCE} were refused`);
    });
  }
});

test("a client with one call a second can still connect, list and call, one after the other", async (t) => {
  const server = await serveRuntime({ limits: createLimits({ callsPerSecond: 1 }) });
  t.after(() => server.close(0));
  for (const method of ["server/discover", "tools/list"]) {
    const [, init] = mcp(method);
    assert.equal((await fetch(server.mcpUrl, init)).status, 200);
  }
});

test("a call of an older client is counted once, whether it is run or refused", async (t) => {
  const server = await serveRuntime({ limits: createLimits({ callsPerSecond: 2 }) });
  t.after(() => server.close(0));
  const calls = [{ operation: "services/search", input: { query: "x" } }, {}];
  for (const [, init] of calls.map((given) => legacy("tools/call", { name: "call", arguments: given }))) {
    const text = await (await fetch(server.mcpUrl, init)).text();
    assert.ok(!text.includes("RATE_LIMITED"), text);
  }
});
