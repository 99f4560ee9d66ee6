export {
  CONFIG_SCHEMA,
  type ConfigOfKind,
  checkRules,
  definitionOf,
  editorSchema,
  type KnownSource,
  loadConfig,
  SOURCE_KINDS,
  sourceIn,
  writeConfig,
} from "./kinds.ts";
