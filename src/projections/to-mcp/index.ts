export type { McpEndpoint } from "./endpoint.ts";
export { findTools } from "./facet-tools.ts";
export { Listeners } from "./listeners.ts";
export { openMcpProjection, problemOfMcp } from "./open-projection.ts";
export { instructionsFor, listTools } from "./tools.ts";
