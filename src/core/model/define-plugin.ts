import type { Registration } from "./registration.ts";
import type { Source, SourceSet } from "./source.ts";

/** A plugin: a source of local operations under one name. */
export interface PluginDefinition extends Omit<Source, "connection"> {
  readonly operations: readonly Registration[];
}

/**
 * Makes a set of local operations that enters the registry as one source.
 *
 *     definePlugin({ name: "demo", description: "Things to try.", operations: [greet, count] })
 */
export function definePlugin(definition: PluginDefinition): SourceSet {
  const { operations, ...source } = definition;
  return { source, registrations: operations };
}
