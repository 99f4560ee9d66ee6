export { type ConfiguredSurface, measureConfigured, readFacets } from "./facets.ts";
export { McpEndpoints } from "./mcp-endpoints.ts";
