/** `pinhole`: the gateway. */
export * from "./core.ts";
export {
  ConfigError,
  createLog,
  DEMO,
  type Gateway,
  type GatewayLog,
  measureSurface,
  type StartOptions,
  type Surface,
  startGateway,
} from "./gateway/index.ts";
