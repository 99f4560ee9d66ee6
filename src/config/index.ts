export { type BrokenRule, ConfigError, type ConfigPlace, type ConfigProblem } from "./config-error.ts";
export { plaintextAddresses, type RemoteSource, remoteRules, tokensOnly } from "./credential-rules.ts";
export { withDefaults } from "./defaults.ts";
export { type SourceEntry, withoutSource, withSource } from "./edit-text.ts";
export { editorSchema } from "./editor-schema.ts";
export { CONFIG_FLAGS, type FlagValues } from "./flags.ts";
export {
  CREDENTIAL_KEYS,
  OAUTH,
  type OauthConfig,
  PLUGIN_CREDENTIALS,
  type RemoteCredentials,
} from "./keys/credentials.ts";
export { SECRET } from "./keys/parts.ts";
export {
  EVERY_KIND,
  OPERATIONS,
  OVERRIDE,
  REMOTE,
  type SourceConfig,
  type SourceOf,
  type TlsConfig,
} from "./keys/sources.ts";
export { DEFAULTS, type LoadConfigOptions, type LoadedConfig, loadConfig, sourceFrom } from "./load.ts";
export { presetsOf, presetsOfFacet } from "./preset-rules.ts";
export { CONFIG_FILE } from "./read-file.ts";
export {
  acceptsAnonymous,
  BUILT_IN_FACETS,
  checkRules,
  hasIdentities,
  hostAndPort,
  isLoopback,
} from "./rules.ts";
export { type Config, configSchema, type SecretReference } from "./schema.ts";
export { resolveSecret, type SecretSurroundings } from "./secret.ts";
export type { KindOfSource, SourceKinds } from "./source-kinds.ts";
export { takenAway } from "./taken-away.ts";
export { makeNodeId, packageVersion } from "./this-node.ts";
export { watchConfig } from "./watch.ts";
export {
  type EditableConfig,
  keepCopy,
  overwriteFile,
  readEditable,
  writeConfig,
  writeFileAtomically,
} from "./write-file.ts";
