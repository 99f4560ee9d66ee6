export { CONFIG_SCHEMA, checkRules, editorSchema, loadConfig, writeConfig } from "./configuration.ts";
export { definitionOf, type KnownSource, SOURCE_KINDS, sourceIn } from "./kinds.ts";
