import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DEMO } from "../../src/demo/index.ts";
import {
  answerOf,
  LEGACY,
  MODERN,
  postLegacy,
  postModern,
  resultOf,
  type WireMessage,
} from "../support/mcp-wire.ts";
import { serveRuntime } from "../support/serve.ts";

const NOW = { name: "call", arguments: { operation: "time/now", select: "timeZone" } };

describe("the MCP endpoint on the wire", () => {
  let server: Awaited<ReturnType<typeof serveRuntime>>;

  before(async () => {
    server = await serveRuntime({ sources: DEMO });
  });
  after(() => server.close(0));

  for (const version of LEGACY) {
    test(`the MCP endpoint on the wire answers initialize of ${version} with that version and a session, and calls after it with the session or without`, async () => {
      const params = {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: "wire", version: "0" },
      };
      const opened = await postLegacy(server.mcpUrl, { id: 1, method: "initialize", params });
      const session = opened.headers.get("mcp-session-id") ?? assert.fail("there is no session");
      const { protocolVersion, capabilities, serverInfo } = resultOf(await answerOf(opened));
      assert.equal(protocolVersion, version);
      assert.deepEqual(capabilities, { tools: { listChanged: true } });
      assert.equal((serverInfo as { name: string }).name, "pinhole");

      const ready = await postLegacy(server.mcpUrl, { method: "notifications/initialized" }, { version });
      assert.equal(ready.status, 202);
      assert.equal(ready.headers.get("mcp-session-id"), null);

      for (const headers of [{}, { "mcp-session-id": session }]) {
        const message = { id: 2, method: "tools/call", params: NOW };
        const answer = await plain(await postLegacy(server.mcpUrl, message, { version, headers }));
        assert.equal(answer.id, 2);
        assert.deepEqual(answer.result?.structuredContent, { output: "UTC" });
      }
    });
  }

  test("the MCP endpoint on the wire answers an unknown version with the newest that it negotiates", async () => {
    const params = {
      protocolVersion: "1999-01-01",
      capabilities: {},
      clientInfo: { name: "wire", version: "0" },
    };
    const { result } = await answerOf(
      await postLegacy(server.mcpUrl, { id: 1, method: "initialize", params }),
    );
    assert.equal(result?.protocolVersion, "2025-11-25");
  });

  test("the MCP endpoint on the wire tells a modern client what it is, without a handshake", async () => {
    const result = resultOf(await plain(await postModern(server.mcpUrl, "server/discover")));
    assert.ok((result.supportedVersions as string[]).includes(MODERN));
    assert.deepEqual(result.capabilities, { tools: { listChanged: true } });
    assert.equal(result.resultType, "complete");
    const meta = result._meta as Record<string, { name: string }>;
    assert.equal(meta["io.modelcontextprotocol/serverInfo"]?.name, "pinhole");
  });

  test("the MCP endpoint on the wire answers a modern call at once and in JSON", async () => {
    const response = await postModern(server.mcpUrl, "tools/call", NOW);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    const { result } = await plain(response);
    assert.deepEqual(result?.structuredContent, { output: "UTC" });
    assert.equal(result?.resultType, "complete");
  });

  test("the MCP endpoint on the wire ignores a session id that a client brings along", async () => {
    const headers = { "mcp-session-id": "left over from another server" };
    const response = await postModern(server.mcpUrl, "tools/call", NOW, { headers });
    assert.equal(response.status, 200);
    await plain(response);
  });

  test("the MCP endpoint on the wire refuses headers that say something else than the body", async () => {
    for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-name": "batch" }]) {
      const response = await postModern(server.mcpUrl, "tools/call", NOW, { headers });
      assert.equal(response.status, 400, JSON.stringify(headers));
      assert.equal((await plain(response)).error?.code, -32020);
    }
    const headers = { "mcp-protocol-version": "2031-01-01" };
    assert.equal((await postModern(server.mcpUrl, "tools/call", NOW, { headers })).status, 400);
  });

  test("the MCP endpoint on the wire answers a method that it does not have with 404 and -32601", async () => {
    const response = await postModern(server.mcpUrl, "prompts/list");
    assert.equal(response.status, 404);
    assert.equal((await plain(response)).error?.code, -32601);
  });

  for (const method of ["GET", "DELETE"]) {
    test(`the MCP endpoint on the wire has nothing for ${method} without a session`, async () => {
      for (const headers of [{ accept: "text/event-stream" }, { "mcp-protocol-version": MODERN }]) {
        const response = await fetch(server.mcpUrl, { method, headers });
        assert.equal(response.status, 405);
        assert.equal(response.headers.get("mcp-session-id"), null);
        await response.body?.cancel();
      }
    });
  }
});

/** The answer of a response that, like all but that to initialize, begins no session. */
async function plain(response: Response): Promise<WireMessage> {
  assert.equal(response.headers.get("mcp-session-id"), null);
  return answerOf(response);
}
