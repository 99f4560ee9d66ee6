export { type ConfiguredSurface, measureConfigured } from "./configured-surface.ts";
export { readOpenings } from "./facets.ts";
export { McpDoors } from "./mcp-doors.ts";
