export { ConfigError, type ConfigProblem } from "./config-error.ts";
export { CONFIG_FLAGS, type ConfigFlag, type FlagValues } from "./flags.ts";
export { type LoadConfigOptions, type LoadedConfig, loadConfig } from "./load.ts";
export { CONFIG_FILE } from "./read-file.ts";
export { isLoopback } from "./rules.ts";
export { CONFIG_SCHEMA, type Config, type SecretReference } from "./schema.ts";
export { resolveSecret, type SecretSurroundings } from "./secret.ts";
export { type DirectoryWatcher, type WatchOptions, watchConfig } from "./watch.ts";
