import type { LoadedConfig } from "../../config/index.ts";
import type { Registry } from "../../core/index.ts";
import { operatorOf } from "../../core/index.ts";
import { measureSurface, type Surface } from "../surface/index.ts";
import { readOpenings } from "./facets.ts";

/** The surface that a configuration makes, and what decided it. */
export interface ConfiguredSurface extends Surface {
  readonly exposed: readonly string[];
  /** Which setting says so. */
  readonly by: string;
}

/**
 * Measures what clients see at /mcp, as somebody who may see everything that is external. `tools` is what the
 * environment says about facets. Throws a ConfigError for a facet that there is not.
 */
export async function measureConfigured(
  loaded: Pick<LoadedConfig, "config" | "said">,
  registry: Registry,
  tools: string | undefined,
): Promise<ConfiguredSurface> {
  const { exposed, tier, main } = readOpenings(loaded, tools);
  return { exposed, by: tier, ...(await measureSurface(registry, operatorOf(registry.snapshot()), main)) };
}
