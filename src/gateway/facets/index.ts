export { type ConfiguredSurface, measureConfigured, presetsOf, readFacets } from "./facets.ts";
export { McpEndpoints } from "./mcp-endpoints.ts";
