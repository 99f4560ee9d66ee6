import type { PeerConfig } from "../../src/adapters/from-call/config.ts";
import type { McpConfig } from "../../src/adapters/from-mcp/config.ts";
import type { OpenapiConfig } from "../../src/adapters/from-openapi/config.ts";
import type { PluginConfig } from "../../src/adapters/from-plugin/config.ts";
import type { Config } from "../../src/config/index.ts";

type Keys<Source> = Partial<Omit<Source, "kind" | "credentials">>;
type AnyKeys = Keys<McpConfig> & Keys<OpenapiConfig> & Keys<PeerConfig> & Keys<PluginConfig>;

/** The sources of a config, for tests that look for keys which the kind of a source may lack. */
export function keysOf({ sources }: Config): Readonly<Record<string, AnyKeys>> {
  return sources as Readonly<Record<string, AnyKeys>>;
}
