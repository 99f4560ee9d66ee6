import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { serveRuntime } from "../../../test/support/serve.ts";
import { defineOperation, definePlugin, type UnknownRecord } from "../../core/index.ts";
import { readPlainCall } from "./plain-call.ts";

const PREFIX = "io.modelcontextprotocol/";
const META = { [`${PREFIX}protocolVersion`]: "2026-07-28", [`${PREFIX}clientCapabilities`]: {} };
const HEADERS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "call" };
const PARAMS = { name: "call", arguments: { operation: "demo/echo", input: { text: "hi" } }, _meta: META };
const BODY = { jsonrpc: "2.0", id: 1, method: "tools/call", params: PARAMS };

function read(body: unknown, headers: Record<string, string> = {}) {
  return readPlainCall({ headers: new Headers({ ...HEADERS, ...headers }) } as Request, body);
}

function withMeta(meta: UnknownRecord) {
  return { ...BODY, params: { ...PARAMS, _meta: { ...META, ...meta } } };
}

test("a call with everything that the protocol demands is plain", () => {
  assert.deepEqual(read(BODY), { id: 1, name: "call", arguments: PARAMS.arguments, meta: META });
  assert.ok(read({ ...BODY, id: "a" }));
  assert.ok(
    read(withMeta({ traceparent: "00-abc-def-01", [`${PREFIX}clientInfo`]: { name: "x", version: "1" } })),
  );
  assert.ok(read(BODY, { accept: "application/json, text/event-stream" }));
});

const NOT_PLAIN: readonly (readonly [why: string, body: unknown, headers?: Record<string, string>])[] = [
  ["another method", { ...BODY, method: "tools/list" }],
  ["a notification", { jsonrpc: "2.0", method: "tools/call", params: PARAMS }],
  ["no envelope", { ...BODY, params: { ...PARAMS, _meta: {} } }],
  ["another revision", withMeta({ [`${PREFIX}protocolVersion`]: "2025-11-25" })],
  ["capabilities that are none", withMeta({ [`${PREFIX}clientCapabilities`]: { elicitation: true } })],
  ["a wish for progress", withMeta({ progressToken: 1 })],
  ["a wish for logs", withMeta({ [`${PREFIX}logLevel`]: "info" })],
  ["answers to questions", { ...BODY, params: { ...PARAMS, inputResponses: {}, requestState: "x" } }],
  ["arguments that are none", { ...BODY, params: { ...PARAMS, arguments: [1] } }],
  ["something more in it", { ...BODY, extra: 1 }],
  ["several at once", [BODY]],
  ["a header that says something else", BODY, { "mcp-name": "search" }],
  ["a revision in the header that is another", BODY, { "mcp-protocol-version": "2025-11-25" }],
  ["a client that takes no JSON", BODY, { accept: "text/html" }],
];

for (const [why, body, headers] of NOT_PLAIN) {
  test(`a request with ${why} is left to the SDK`, () => {
    assert.equal(read(body, headers), undefined);
  });
}

describe("a plain call is answered as the SDK answers it", () => {
  let server: Awaited<ReturnType<typeof serveRuntime>>;
  before(async () => {
    server = await serveRuntime({
      sources: [definePlugin({ name: "demo", operations: [echo, image, ask] })],
    });
  });
  after(() => server.close(100));

  for (const [name, given] of [
    ["call", { operation: "demo/echo", input: { text: "hi" } }],
    ["call", { operation: "demo/echo", input: {} }],
    ["call", { operation: "demo/none" }],
    ["call", {}],
    ["call", { operation: "demo/image" }],
    ["call", { operation: "demo/ask" }],
    ["batch", { calls: [{ operation: "demo/image" }, { operation: "demo/none" }] }],
    ["search", { query: "echo" }],
    ["schema", { names: ["demo/echo"] }],
  ] as const) {
    test(`${name} ${JSON.stringify(given)}`, async () => {
      const capabilities = { [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } } };
      const plain = await post(name, given, capabilities);
      // A key that nobody knows is harmless, and enough not to be plain.
      const full = await post(name, given, { ...capabilities, "example.com/other": 1 });
      assert.deepEqual(plain, full);
    });
  }

  async function post(name: string, given: object, meta: UnknownRecord): Promise<unknown> {
    const params = { name, arguments: given, _meta: { ...META, ...meta } };
    const response = await fetch(server.mcpUrl, {
      method: "POST",
      headers: { ...HEADERS, "mcp-name": name, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
    });
    const text = (await response.text())
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
      .replaceAll(/"requestState":"[^"]+"/g, '"requestState":"SEALED"');
    return { status: response.status, type: response.headers.get("content-type"), body: JSON.parse(text) };
  }
});

const echo = defineOperation({
  name: "demo/echo",
  type: "query",
  description: "Echoes.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: ({ text }) => ({ text }),
});
const image = defineOperation({
  name: "demo/image",
  type: "query",
  description: "Shows.",
  handler: () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
});
const ask = defineOperation({
  name: "demo/ask",
  type: "mutation",
  description: "Asks.",
  handler: (_input, { requestInput }) =>
    requestInput({
      key: "name",
      message: "Who?",
      schema: { type: "object", properties: { name: { type: "string" } } },
    }),
});
