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
  type SourceConfig,
  writeConfig as writeConfigOf,
} from "../config/index.ts";
import { GROUP_SOURCE, PEER_SOURCE } from "./from-call/index.ts";
import { MCP_SOURCE } from "./from-mcp/index.ts";
import { OPENAPI_SOURCE } from "./from-openapi/index.ts";
import { PLUGIN_SOURCE } from "./from-plugin/index.ts";
import type { SourceDefinition } from "./source/index.ts";

/** The kinds of source that a config can name. A new kind is a line here, and its folder. */
export const SOURCE_KINDS = {
  mcp: MCP_SOURCE,
  openapi: OPENAPI_SOURCE,
  peer: PEER_SOURCE,
  plugin: PLUGIN_SOURCE,
  any: GROUP_SOURCE,
} as const;

type ConfigIn<Definition> = Definition extends SourceDefinition<infer Found> ? Found : never;

/** A source of one kind. */
export type ConfigOfKind<Kind extends keyof typeof SOURCE_KINDS> = ConfigIn<(typeof SOURCE_KINDS)[Kind]>;

/** A source of a known kind; TypeScript tells the kinds apart by `kind`. */
export type KnownSource = ConfigOfKind<keyof typeof SOURCE_KINDS>;

/** The definition of a source's kind. */
export function definitionOf({ kind }: SourceConfig): SourceDefinition {
  return SOURCE_KINDS[kind as keyof typeof SOURCE_KINDS];
}

/** The source of a name in a config. */
export function sourceIn({ sources }: Pick<Config, "sources">, name: string): KnownSource | undefined {
  return Object.hasOwn(sources, name) ? (sources[name] as KnownSource) : undefined;
}

/** The schema of a configuration with the known kinds of source. */
export const CONFIG_SCHEMA = configSchema(SOURCE_KINDS);

/** Reads and checks the configuration. Throws a ConfigError that lists every problem. */
export function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  return loadConfigOf(options, SOURCE_KINDS);
}

/** Writes a configuration, all or nothing; a text that could not be loaded is refused. */
export function writeConfig(
  editable: Pick<EditableConfig, "file" | "displayPath">,
  text: string,
): Promise<void> {
  return writeConfigOf(editable, text, SOURCE_KINDS);
}

/** The schema of the configuration for editors. */
export function editorSchema(): Readonly<Record<string, unknown>> {
  return editorSchemaOf(SOURCE_KINDS);
}

/** The rules of a configuration that a schema cannot express. */
export function checkRules(config: Config): readonly BrokenRule[] {
  return checkRulesOf(config, SOURCE_KINDS);
}
