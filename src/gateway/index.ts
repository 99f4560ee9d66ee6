export { type Gateway, type StartOptions, startGateway } from "./gateway.ts";
export type { Difference } from "./lock/index.ts";
export { callLimitsOf, type OpenSources, openSources, searchOptionsOf } from "./open-sources.ts";
