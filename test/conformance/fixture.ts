import { randomBytes } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { SILENT_LOG } from "pinhole/core";
import { createMcpEndpoint, type McpEndpoint } from "../../src/projections/to-mcp/endpoint.ts";
import { Sessions } from "../../src/projections/to-mcp/index.ts";
import { CONTENT_TOOLS } from "./fixture-content-tools.ts";
import { INPUT_TOOLS, ROUNDS } from "./fixture-input-tools.ts";
import { addPrompts } from "./fixture-prompts.ts";
import { addResources } from "./fixture-resources.ts";

const TOOLS = [...CONTENT_TOOLS, ...INPUT_TOOLS];

/**
 * Every tool, prompt and resource that the suite asks a server for, on the endpoint that serves the four
 * tools: what the suite says about the wire here holds for the product, which has none of them.
 */
export function createFixtureEndpoint(): McpEndpoint {
  return createMcpEndpoint(createFixtureServer, {
    log: SILENT_LOG,
    slowAfterMs: 5_000,
    keepAliveMs: 15_000,
    sessions: { key: randomBytes(32), endpoint: "", sessions: new Sessions(), most: 100 },
  });
}

function createFixtureServer(): Server {
  const server = new Server(
    { name: "conformance-fixture", version: "0.0.0" },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      requestState: { verify: ROUNDS.verify },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS.map(({ listed }) => listed) }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const tool = TOOLS.find(({ listed }) => listed.name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    return tool.run(params.arguments ?? {}, context);
  });
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park", "party"], total: 3, hasMore: false },
  }));
  addPrompts(server);
  addResources(server);
  return server;
}
