export {
  createListeners,
  createMcpEndpoint,
  type Listeners,
  type McpEndpoint,
  type McpEndpointOptions,
} from "./endpoint.ts";
export { createMcpProjection, type McpProjectionOptions } from "./mcp-projection.ts";
export { CORE_SURFACE, createPins, type McpSurface, type Pinned, toolNameOf } from "./surface.ts";
export { type Listing, listTools } from "./tools.ts";
