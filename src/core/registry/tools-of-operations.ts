import { RegistrationError, type SourceSet } from "../model/index.ts";
import { KnownPreset } from "./known-preset.ts";

/** Makes the presets that operations declare; once for each set. */
export class ToolsOfOperations {
  readonly #validator: ConstructorParameters<typeof KnownPreset>[1];
  readonly #known = new WeakMap<SourceSet, readonly KnownPreset[]>();

  constructor(validator: ConstructorParameters<typeof KnownPreset>[1]) {
    this.#validator = validator;
  }

  /** The configured presets with those of all sources, except where the config has the name. Throws if two operations share one. */
  join(
    configured: ReadonlyMap<string, KnownPreset>,
    sources: Iterable<SourceSet>,
  ): ReadonlyMap<string, KnownPreset> {
    const all = new Map<string, KnownPreset>();
    for (const set of sources)
      for (const known of this.#of(set)) {
        const { name, operation } = known.preset;
        const rival = all.get(name)?.preset.operation;
        if (rival !== undefined)
          throw new RegistrationError(
            `"${name}" is a tool of ${rival} and of ${operation}. Rename one of them, or leave one out.`,
            "NAME_COLLISION",
          );
        all.set(name, known);
      }
    return all.size === 0 ? configured : new Map([...all, ...configured]);
  }

  /** Operations of one connection have no tools: a preset is there for every caller. */
  #of(set: SourceSet): readonly KnownPreset[] {
    if (set.source.connection !== undefined) return [];
    const known =
      this.#known.get(set) ??
      set.registrations.flatMap(({ tools = [] }) =>
        tools.map((each) => new KnownPreset(each, this.#validator)),
      );
    this.#known.set(set, known);
    return known;
  }
}
