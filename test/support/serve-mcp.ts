import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { serve } from "@hono/node-server";
import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";

/** Serves an MCP server of the SDK on a free port, until the test ends. */
export async function serveMcp(t: TestContext, factory: McpServerFactory): Promise<{ readonly url: string }> {
  const handler = createMcpHandler(factory);
  const server = serve({
    fetch: (request) => handler.fetch(request),
    port: 0,
    hostname: "127.0.0.1",
  }) as HttpServer;
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}
