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

/** A source with everything that it offers. */
export interface SourceSet {
  readonly source: Source;
  readonly registrations: readonly Registration[];
}

/** One registered operation together with the source that brought it. */
export interface Entry {
  readonly registration: Registration;
  readonly source: Source;
}
