export { type Catalogue, loadCatalogue } from "./catalogue.ts";
export {
  CONFIG_FILE,
  CONFIG_FLAGS,
  ConfigError,
  type ConfigFlag,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
} from "./config/index.ts";
export { DEMO } from "./demo.ts";
export { type Gateway, type StartOptions, startGateway } from "./gateway.ts";
export { createLog, type GatewayLog, type LogLevel } from "./log.ts";
export { type OpenapiPreview, type PreviewOptions, previewOpenapi } from "./preview-openapi.ts";
export { measureSurface, type Surface } from "./surface.ts";
export { packageVersion } from "./version.ts";
