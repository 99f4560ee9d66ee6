export {
  CONFIG_SCHEMA,
  checkRules,
  definitionOf,
  editorSchema,
  type KnownSource,
  loadConfig,
  SOURCE_KINDS,
  sourceIn,
  writeConfig,
} from "./kinds.ts";
