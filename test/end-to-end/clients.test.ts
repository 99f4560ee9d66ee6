import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CallError, defineOperation, definePlugin } from "pinhole/core";
import { DEMO } from "../../src/demo/index.ts";
import { CLIENTS, type TestClient, type ToolAnswer } from "../support/mcp-clients.ts";
import { serveRuntime } from "../support/serve.ts";

const PIXEL = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CAPTION = { type: "text", text: "A pixel." };

const extras = definePlugin({
  name: "extras",
  operations: [
    defineOperation({
      name: "pictures/pixel",
      type: "query",
      description: "Draws one pixel.",
      handler: () => ({ content: [CAPTION, PIXEL] }),
    }),
    defineOperation({
      name: "orders/pay",
      type: "mutation",
      description: "Pays an order.",
      errors: [{ code: "CARD_DECLINED", description: "The card was declined" }],
      handler: () => {
        throw new CallError("CARD_DECLINED", "The card was declined; ask for another one.", {
          details: { card: "4242" },
        });
      },
    }),
  ],
});

for (const [title, connect] of Object.entries(CLIENTS)) {
  describe(`a client of ${title}`, () => {
    let server: Awaited<ReturnType<typeof serveRuntime>>;
    let client: TestClient;

    before(async () => {
      server = await serveRuntime({ sources: [...DEMO, extras] });
      client = await connect(server.mcpUrl);
    });
    after(async () => {
      await client.close();
      await server.close(0);
    });

    test(`a client of ${title} speaks the revision of its era and reads the instructions`, () => {
      assert.equal(client.version, title.endsWith("modern") ? "2026-07-28" : "2025-11-25");
      assert.match(client.instructions ?? "", /Three steps/);
    });

    test(`a client of ${title} lists the four tools in their order`, async () => {
      const names = (await client.list()).map(({ name }) => name);
      assert.deepEqual(names, ["search", "schema", "call", "batch"]);
    });

    test(`a client of ${title} searches, reads a schema, calls and calls several`, async () => {
      const found = await client.call("search", { query: "sha256 checksum of a text" });
      const [hit] = dataOf<{ operations: { name: string; signature: string }[] }>(found).operations;
      assert.deepEqual([hit?.name, hit?.signature], ["text/digest", "(text: string) → string"]);

      const schema = await client.call("schema", { names: ["text/digest"] });
      const [spec] = dataOf<{ operations: { inputSchema: { required: string[] } }[] }>(schema).operations;
      assert.deepEqual(spec?.inputSchema.required, ["text"]);

      const called = await client.call("call", { operation: "text/digest", input: { text: "abc" } });
      const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
      assert.deepEqual(dataOf(called), { output: digest });

      const batch = await client.call("batch", {
        calls: [
          { operation: "text/stats", input: { text: "one two" }, select: "words" },
          { operation: "text/digest" },
          { operation: "text/digest", input: { text: "abc" } },
        ],
      });
      const { results } = dataOf<{ results: { output?: unknown; error?: { code: string } }[] }>(batch);
      assert.deepEqual(
        results.map(({ output, error }) => output ?? error?.code),
        [2, "INVALID_INPUT", digest],
      );
      assert.notEqual(batch.isError, true);
    });

    test(`a client of ${title} gets content blocks as they are from call`, async () => {
      const { content, structuredContent } = await client.call("call", { operation: "pictures/pixel" });
      assert.deepEqual(content, [CAPTION, PIXEL]);
      assert.equal(structuredContent, undefined);
    });

    test(`a client of ${title} gets images of a batch beside its JSON`, async () => {
      const answer = await client.call("batch", {
        calls: [{ operation: "pictures/pixel" }, { operation: "time/now", select: "timeZone" }],
      });
      const [, ...lifted] = answer.content;
      assert.deepEqual(lifted, [PIXEL]);
      assert.deepEqual(resultsOf(answer), [
        { output: { content: [CAPTION, { type: "image", mimeType: "image/png", block: 1 }] } },
        { output: "UTC" },
      ]);
    });

    test(`a client of ${title} gets errors as results with their code, message and details`, async () => {
      const answer = await client.call("call", { operation: "orders/pay" });
      assert.equal(answer.isError, true);
      assert.deepEqual(dataOf(answer), {
        error: {
          code: "CARD_DECLINED",
          message: "The card was declined; ask for another one.",
          retryable: false,
          details: { card: "4242" },
        },
      });
      assert.equal(codeOf(await client.call("call", { operation: "text/digset", input: {} })), "NOT_FOUND");
      assert.equal(codeOf(await client.call("call", { operation: "text/digest" })), "INVALID_INPUT");
      assert.equal(codeOf(await client.call("call", { input: {} })), "INVALID_INPUT");
      assert.equal(codeOf(await client.call("schema")), "INVALID_INPUT");
      assert.equal(codeOf(await client.call("batch", { calls: "text/digest" })), "INVALID_INPUT");
    });

    test(`a client of ${title} finds a request id of its own with every result, good or bad`, async () => {
      const answers = await Promise.all([
        client.call("search", { query: "text" }),
        client.call("schema", { name: "time/now" }),
        client.call("call", { operation: "time/now" }),
        client.call("call", { operation: "pictures/pixel" }),
        client.call("call", { operation: "no/such" }),
        client.call("call", { operation: 7 }),
        client.call("batch", { calls: [{ operation: "time/now" }] }),
      ]);
      const ids = answers.map(({ _meta }) => String(_meta?.["pinhole/requestId"]));
      for (const id of ids) assert.match(id, REQUEST_ID);
      assert.equal(new Set(ids).size, ids.length);
    });

    test(`a client of ${title} is told the nearest tool for a name that does not exist`, async () => {
      await assert.rejects(client.call("serach", { query: "x" }), (error: Error & { code?: number }) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, /There is no tool "serach"\. Did you mean search\?/);
        return true;
      });
      await assert.rejects(client.call("text/stats"), /run it as call with \{"operation": "text\/stats"\}/);
    });

    test(`a client of ${title} may use names that models know from elsewhere, and write input as JSON text`, async () => {
      const found = await client.call("tool_search", { query: "checksum of a text" });
      assert.ok(namesIn(found).includes("text/digest"));
      const described = await client.call("tool_describe", { name: "text/digest" });
      assert.equal(dataOf<{ operations: unknown[] }>(described).operations.length, 1);

      const stats = { select: "words" };
      for (const args of [
        { operation: "text/stats", input: { text: "a b" }, ...stats },
        { name: "text/stats", args: { text: "a b" }, ...stats },
        { name: "text/stats", arguments: { text: "a b" }, ...stats },
        { operation: "text/stats", input: '{"text": "a b"}', ...stats },
        { name: "text/stats", arguments: '{"text": "a b"}', ...stats },
      ]) {
        assert.deepEqual(dataOf(await client.call("tool_invoke", args)), { output: 2 }, JSON.stringify(args));
        const results = resultsOf(await client.call("batch", { calls: [args] }));
        assert.deepEqual(results, [{ output: 2 }], JSON.stringify(args));
      }
    });

    test(`a client of ${title} does not find subscriptions, and is told why it cannot call one`, async () => {
      const found = await client.call("search", { query: "count down to zero, time/countdown" });
      assert.ok(!namesIn(found).includes("time/countdown"));
      const wanted = await client.call("search", { query: "count down to zero", type: "subscription" });
      assert.deepEqual(namesIn(wanted), []);
      const answer = await client.call("call", { operation: "time/countdown", input: { from: 0 } });
      assert.equal(codeOf(answer), "INVALID_OPERATION_TYPE");
    });
  });
}

describe("the MCP Inspector on the command line", { concurrency: true }, () => {
  let server: Awaited<ReturnType<typeof serveRuntime>>;
  let home: string;

  before(async () => {
    server = await serveRuntime({ sources: DEMO });
    home = mkdtempSync(join(tmpdir(), "pinhole-inspector-"));
  });
  after(async () => {
    await server.close(0);
    rmSync(home, { recursive: true });
  });

  for (const era of ["modern", "legacy"]) {
    test(`the MCP Inspector on the command line lists the tools in the ${era} era and finds no fault with their schemas`, async () => {
      const { tools } = await inspect<{ tools: { name: string }[] }>(era, "tools/list", "--strict");
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["search", "schema", "call", "batch"],
      );
    });

    test(`the MCP Inspector on the command line calls a tool in the ${era} era`, async () => {
      const args = JSON.stringify({ operation: "text/stats", input: { text: "a b c" }, select: "words" });
      const answer = await inspect<ToolAnswer>(
        era,
        "tools/call",
        ...["--tool-name", "call", "--tool-args-json", args],
      );
      assert.deepEqual(dataOf(answer), { output: 3 });
    });
  }

  async function inspect<Answer>(era: string, method: string, ...more: readonly string[]): Promise<Answer> {
    const cli = fileURLToPath(
      import.meta.resolve("@modelcontextprotocol/inspector/clients/cli/build/index.js"),
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, server.mcpUrl.href, "--protocol-era", era, "--method", method, "--format", "json", ...more],
      // Nothing of it stays behind, neither settings nor secrets.
      {
        env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, MCP_INSPECTOR_SECRET_STORE: "memory" },
      },
    );
    return JSON.parse(stdout).result;
  }
});

/** The data of an answer, which is the same as its text. */
function dataOf<Data = unknown>({ structuredContent, content }: ToolAnswer): Data {
  const [first] = content;
  assert.equal(first?.type, "text");
  assert.equal(first.text, JSON.stringify(structuredContent));
  return structuredContent as Data;
}

/** The results of a batch, each of which has a request id of its own. */
function resultsOf(answer: ToolAnswer): readonly object[] {
  const { results } = dataOf<{ results: { requestId: string }[] }>(answer);
  for (const { requestId } of results) assert.match(requestId, REQUEST_ID);
  assert.equal(new Set(results.map(({ requestId }) => requestId)).size, results.length);
  return results.map(({ requestId: _, ...result }) => result);
}

function namesIn(answer: ToolAnswer): readonly string[] {
  return dataOf<{ operations: { name: string }[] }>(answer).operations.map(({ name }) => name);
}

function codeOf(answer: ToolAnswer): string {
  assert.equal(answer.isError, true);
  return dataOf<{ error: { code: string } }>(answer).error.code;
}
