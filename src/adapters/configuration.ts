import {
  type BrokenRule,
  type Config,
  checkRules as checkRulesOf,
  configSchema,
  type EditableConfig,
  editorSchema as editorSchemaOf,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig as loadConfigOf,
  writeConfig as writeConfigOf,
} from "../config/index.ts";
import { SOURCE_KINDS } from "./kinds.ts";

/** The schema of a configuration whose sources are of the kinds that there are. */
export const CONFIG_SCHEMA = configSchema(SOURCE_KINDS);

/** Reads and checks the configuration; throws a ConfigError that lists everything that is wrong with it. */
export function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  return loadConfigOf(options, SOURCE_KINDS);
}

/** Writes a configuration as a whole or not at all; a text that could not be loaded is refused. */
export function writeConfig(
  editable: Pick<EditableConfig, "file" | "displayPath">,
  text: string,
): Promise<void> {
  return writeConfigOf(editable, text, SOURCE_KINDS);
}

/** The schema of the configuration as editors take it. */
export function editorSchema(): Readonly<Record<string, unknown>> {
  return editorSchemaOf(SOURCE_KINDS);
}

/** The rules of a configuration that a schema cannot express. */
export function checkRules(config: Config): readonly BrokenRule[] {
  return checkRulesOf(config, SOURCE_KINDS);
}
