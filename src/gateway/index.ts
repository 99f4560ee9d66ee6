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
export { packageVersion } from "./version.ts";
