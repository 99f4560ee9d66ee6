export type { McpEndpoint } from "./endpoint.ts";
export { findTools } from "./facet-tools.ts";
export { Listeners } from "./listeners.ts";
export { openMcpProjection, problemOfMcp } from "./open-projection.ts";
export type { SessionOptions } from "./session-requests.ts";
export { type SessionChannel, Sessions } from "./sessions.ts";
export { instructionsFor, listTools } from "./tools.ts";
