import type { TestContext } from "node:test";
import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { listen } from "../../src/gateway/server/server.ts";

/** Serves an MCP server of the SDK on a free port, until the test ends. */
export async function serveMcp(t: TestContext, factory: McpServerFactory): Promise<{ readonly url: string }> {
  const handler = createMcpHandler(factory);
  const http = await listen({ host: "127.0.0.1", port: 0, fetch: (request) => handler.fetch(request) });
  t.after(async () => {
    await handler.close();
    await http.close(0);
  });
  return { url: `${http.url}/mcp` };
}
