export { type ConfiguredSurface, measureConfigured, readFacets } from "./facets.ts";
export { McpEndpoints } from "./mcp-endpoints.ts";
export { tellWithheldAliases } from "./withheld-aliases.ts";
