import type { Config, SourceConfig } from "../config/index.ts";
import { GROUP_SOURCE, PEER_SOURCE } from "./from-call/index.ts";
import { MCP_SOURCE } from "./from-mcp/index.ts";
import { OPENAPI_SOURCE } from "./from-openapi/index.ts";
import { PLUGIN_SOURCE } from "./from-plugin/index.ts";
import type { SourceDefinition } from "./source/index.ts";

/** The kinds of source that a config can name. A new kind is one line here, and its folder. */
export const SOURCE_KINDS = {
  mcp: MCP_SOURCE,
  openapi: OPENAPI_SOURCE,
  peer: PEER_SOURCE,
  plugin: PLUGIN_SOURCE,
  any: GROUP_SOURCE,
} as const;

type ConfigIn<Definition> = Definition extends SourceDefinition<infer Found> ? Found : never;

/** A source of one of the kinds; its `kind` says of which. */
export type KnownSource = ConfigIn<(typeof SOURCE_KINDS)[keyof typeof SOURCE_KINDS]>;

/** The definition of the kind that a source is of. */
export function definitionOf({ kind }: SourceConfig): SourceDefinition {
  return SOURCE_KINDS[kind as keyof typeof SOURCE_KINDS];
}

/** The source of a name in a config, by its kind. */
export function sourceIn({ sources }: Pick<Config, "sources">, name: string): KnownSource | undefined {
  return Object.hasOwn(sources, name) ? (sources[name] as KnownSource) : undefined;
}
