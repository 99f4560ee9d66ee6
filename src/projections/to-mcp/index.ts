export { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from "./endpoint.ts";
export { createMcpProjection, type McpProjectionOptions } from "./mcp-projection.ts";
export { listTools } from "./tools.ts";
