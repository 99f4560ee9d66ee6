export { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from "./endpoint.ts";
export { findTools } from "./facet-tools.ts";
export { Listeners } from "./listeners.ts";
export { createMcpProjection } from "./mcp-projection.ts";
export { instructionsFor, listTools } from "./tools.ts";
