/** `pinhole`: the gateway. */

export { ConfigError } from "./config/index.ts";
export * from "./core.ts";
export { DEMO } from "./demo/index.ts";
export { type Gateway, type StartOptions, startGateway } from "./gateway/index.ts";
export { measureSurface, type Surface } from "./gateway/surface/index.ts";
export { createLog, type GatewayLog } from "./observe/index.ts";
