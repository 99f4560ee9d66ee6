export { type ActionAnswer, type Catalogue, catalogueOf, loadCatalogue } from "./catalogue.ts";
export {
  CONFIG_FILE,
  CONFIG_FLAGS,
  ConfigError,
  type ConfigFlag,
  type EditableConfig,
  editorSchema,
  type LoadConfigOptions,
  type LoadedConfig,
  letsAnonymousIn,
  loadConfig,
  readEditable,
  type SourceEntry,
  withoutSource,
  withSource,
  writeConfig,
} from "./config/index.ts";
export { DEMO } from "./demo/index.ts";
export { type Check, type ExamineOptions, examine } from "./doctor/index.ts";
export { type Gateway, type StartOptions, startGateway } from "./gateway.ts";
export { inspectSource, isPrivateHost } from "./inspect/inspect-source.ts";
export type { CredentialKey, InspectedSource, InspectOptions } from "./inspect/inspected-source.ts";
export { isOwnAddress } from "./inspect/own-address.ts";
export { type Difference, type LockReview, reviewLock } from "./lock/index.ts";
export { createLog, type GatewayLog, type LogLevel } from "./log.ts";
export { forgetLogin, listLogins, logInTo } from "./login-commands.ts";
export type { LogInToOptions, LoginState } from "./login-state.ts";
export { type ConfiguredSurface, measureConfigured } from "./openings/configured-surface.ts";
export { type MeasuredOpening, measureSurface, type Surface } from "./openings/surface.ts";
export { packageVersion } from "./version.ts";
