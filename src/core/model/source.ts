import type { Registration } from "./registration.ts";

/** Where a set of registrations comes from. */
export interface Source {
  readonly name: string;
  readonly title?: string;
  /** One line about what the operations are for; agents see it for the namespaces of this source. */
  readonly description?: string;
  /** Set: only calls that come in on this connection see the operations. */
  readonly connection?: string;
}

const OWN: unique symbol = Symbol("own");

/** A source with everything that it offers. */
export interface SourceSet {
  /** Made by `ownSet`: of the gateway itself. */
  readonly [OWN]?: true;
  readonly source: Source;
  readonly registrations: readonly Registration[];
}

/** Marks a set as one of the gateway itself, which alone may register in the reserved namespaces. */
export function ownSet(set: SourceSet): SourceSet {
  return { ...set, [OWN]: true };
}

/** Whether a set was marked by `ownSet`; what a plugin or another node says cannot make it so. */
export function isOwnSet(set: SourceSet): boolean {
  return set[OWN] === true;
}

/** One registered operation together with the source that brought it. */
export interface Entry {
  readonly registration: Registration;
  readonly source: Source;
}

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
