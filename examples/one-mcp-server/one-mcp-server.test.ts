import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { followReadme, serveExample } from "../../test/support/example.ts";
import { EVERYTHING, reasonToSkip, startRealServer } from "../../test/support/real-servers.ts";

test("one MCP server behind Pinhole does what its README says", {
  skip: reasonToSkip(EVERYTHING),
}, async (t) => {
  const server = await startRealServer(EVERYTHING);
  t.after(() => server.stop());
  const { url } = await serveExample(t, import.meta.dirname, { ports: { 3001: server.port } });
  assert.equal(await followReadme(t, import.meta.dirname, url), 3);

  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  t.after(() => client.close());
  assert.equal((await client.listTools()).tools.length, 4);
});
