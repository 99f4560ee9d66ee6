/** An upstream server with tools that do nothing, or wait a little. A number as argument adds that many tools. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createMcpHandler, Server, type Tool } from "@modelcontextprotocol/server";

const inputSchema = { type: "object", properties: { text: { type: "string" } } } as const;
const extra = Array.from(
  { length: Number(process.argv[2] ?? 0) },
  (_, index): Tool => ({
    name: `tool_${index}`,
    description: `Does the thing of number ${index} to the text.`,
    inputSchema,
  }),
);
const tools: Tool[] = [
  { name: "empty", description: "Does nothing.", inputSchema },
  { name: "wait", description: "Waits for 20 milliseconds.", inputSchema },
  ...extra,
];

const handler = createMcpHandler(() => {
  const server = new Server({ name: "upstream", version: "0.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    if (params.name === "wait") await new Promise((resolve) => setTimeout(resolve, 20));
    return { content: [{ type: "text", text: "done" }] };
  });
  return server;
});

serve(
  { fetch: (request) => handler.fetch(request), port: 0, hostname: "127.0.0.1" },
  ({ port }: AddressInfo) => console.log(`http://127.0.0.1:${port}/mcp`),
);
