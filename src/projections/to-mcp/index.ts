export { createMcpEndpoint, type McpCaller, type McpEndpoint, type McpEndpointOptions } from "./endpoint.ts";
export { type Listed, Listeners } from "./listeners.ts";
export { createMcpProjection, type McpProjectionOptions } from "./mcp-projection.ts";
export { CORE_SURFACE, createPins, type McpSurface, type Pinned, toolNameOf } from "./surface.ts";
export { instructionsFor, type Listing, listTools } from "./tools.ts";
