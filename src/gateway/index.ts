export { type Gateway, type StartOptions, startGateway } from "./gateway.ts";
export type { Difference } from "./lock/index.ts";
export { callLimitsOf, type OpenSources, openSources } from "./open-sources.ts";
export { searchOptionsOf } from "./search-options.ts";
