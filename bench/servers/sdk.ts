/** The SDK's server alone, with one tool that takes the same arguments. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { ECHO_SCHEMA, echo } from "./echo.ts";

const inputSchema = {
  type: "object",
  properties: { operation: { type: "string" }, input: ECHO_SCHEMA },
} as const;

const handler = createMcpHandler(() => {
  const server = new Server({ name: "sdk", version: "0.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "call", inputSchema }] }) as never);
  server.setRequestHandler("tools/call", ({ params }) => {
    const data = { output: echo((params.arguments as { input: { text: string } }).input) };
    return { structuredContent: data, content: [{ type: "text", text: JSON.stringify(data) }] };
  });
  return server;
});

serve(
  { fetch: (request) => handler.fetch(request), port: 0, hostname: "127.0.0.1" },
  ({ port }: AddressInfo) => console.log(`http://127.0.0.1:${port}/mcp`),
);
