import type { Caller, CompiledPolicy } from "../access/index.ts";
import { compilePatterns } from "../access/index.ts";
import type { Entry, OwnershipPorts, Reach, SourceSet } from "../model/index.ts";
import { namespaceOf } from "../model/index.ts";
import type { KnownPreset } from "./known-preset.ts";
import { Crowd, type Namespace } from "./namespace.ts";

/** Namespaces by name, so that a change copies only those that it touches. */
export type NamespaceIndex = ReadonlyMap<string, Namespace>;

/** Key of the operations that every connection sees. */
export const SHARED = undefined;

/** The keys of operations that a caller sees besides the shared ones. */
export type Own = Pick<Caller, "connection" | "overlay">;

const NOTHING_OWN: Own = {};

/** Content of a snapshot. */
interface SnapshotParts {
  readonly revision: number;
  readonly policy: CompiledPolicy;
  readonly sources: ReadonlyMap<string, SourceSet>;
  readonly presets: ReadonlyMap<string, KnownPreset>;
  /** One index for all, and one more for each connection and each overlay that has operations of its own. */
  readonly indexes: ReadonlyMap<string | typeof SHARED, NamespaceIndex>;
}

/** The whole registry at one moment. It never changes; a running call keeps the one it started with. */
export class Snapshot {
  readonly revision: number;
  readonly policy: CompiledPolicy;
  readonly sources: ReadonlyMap<string, SourceSet>;
  /** Presets by name, also those whose operations are not there. */
  readonly presets: SnapshotParts["presets"];
  readonly indexes: SnapshotParts["indexes"];
  /** Sorted on first use: most changes never need the sorted list of 100,000 names. */
  readonly #sorted = new Map<string, readonly Entry[]>();

  readonly #crowds = new Map<string, readonly Crowd[]>();
  #ownership: OwnershipPorts | undefined;

  constructor(parts: SnapshotParts) {
    this.revision = parts.revision;
    this.policy = parts.policy;
    this.sources = parts.sources;
    this.presets = parts.presets;
    this.indexes = parts.indexes;
  }

  /** The same operations under another deny list, to try out a config. */
  denying(deny: readonly string[]): Snapshot {
    return new Snapshot({ ...this, policy: { ...this.policy, deny, denies: compilePatterns(deny) } });
  }

  /** The ports that say who has which resources, by type: of those types that operations ask for. */
  get ownership(): OwnershipPorts {
    this.#ownership ??= portsOf([...this.sources.values()]);
    return this.#ownership;
  }

  /** The entry of a name or alias, as a caller sees it; shared operations come first. */
  find(name: string, own: Own = NOTHING_OWN): Entry | undefined {
    const namespace = namespaceOf(name);
    const at = (key: string | typeof SHARED) => this.indexes.get(key)?.get(namespace)?.names.get(name);
    const shared = at(SHARED);
    if (shared || (own.connection === undefined && own.overlay === undefined)) return shared;
    return (
      (own.connection === undefined ? undefined : at(own.connection)) ??
      (own.overlay === undefined ? undefined : at(own.overlay))
    );
  }

  /** Every entry once, by name, as a caller sees them. */
  entries(own: Own = NOTHING_OWN): readonly Entry[] {
    const key = JSON.stringify(this.#keysOf(own));
    const known = this.#sorted.get(key);
    if (known) return known;
    const sorted = byName([...this.namespaces(own)].flatMap((each) => [...this.entriesIn(each, own)]));
    this.#sorted.set(key, sorted);
    return sorted;
  }

  /** The entries of one namespace, in no order. */
  *entriesIn(namespace: string, own: Own = NOTHING_OWN): Iterable<Entry> {
    for (const key of this.#keysOf(own)) {
      for (const [name, entry] of this.indexes.get(key)?.get(namespace)?.names ?? []) {
        const isAlias = name !== entry.registration.spec.name;
        if (!isAlias && this.find(name, own) === entry) yield entry;
      }
    }
  }

  /** The entries within reach, grouped by access rules. */
  crowds(own: Own = NOTHING_OWN, reach?: Reach): readonly Crowd[] {
    return this.#keysOf(own).flatMap((key) => this.#crowdsOf(key, reach));
  }

  /** Number of entries that a caller sees. */
  count(own: Own = NOTHING_OWN): number {
    let count = 0;
    for (const namespace of this.namespaces(own)) for (const _ of this.entriesIn(namespace, own)) count++;
    return count;
  }

  /** The namespaces with operations that a caller could see. */
  namespaces(own: Own = NOTHING_OWN): ReadonlySet<string> {
    return new Set(this.#keysOf(own).flatMap((key) => [...(this.indexes.get(key)?.keys() ?? [])]));
  }

  #crowdsOf(index: string | typeof SHARED, reach: Reach | undefined): readonly Crowd[] {
    const key = JSON.stringify([index, reach?.key]);
    const known = this.#crowds.get(key);
    if (known) return known;
    const crowds = Crowd.of(this.indexes.get(index) ?? new Map(), { policy: this.policy, reach });
    this.#crowds.set(key, crowds);
    return crowds;
  }

  /** The indexes that a caller sees, the shared one first. */
  #keysOf({ connection, overlay }: Own): readonly (string | typeof SHARED)[] {
    const has = (key: string | undefined) => key !== undefined && this.indexes.has(key);
    return [SHARED, ...[connection, overlay].filter(has)];
  }
}

function portsOf(sets: readonly SourceSet[]): OwnershipPorts {
  const ports = sets.flatMap(
    ({ ownership }) => ownership?.decides.map((type) => [type, ownership] as const) ?? [],
  );
  if (ports.length === 0) return new Map();
  const asked = new Set<string | undefined>();
  for (const { registrations } of sets)
    for (const { spec } of registrations) asked.add(spec.access.resource?.type);
  return new Map(ports.filter(([type]) => asked.has(type)));
}

/** Sorts entries by the names of their operations. */
export function byName(entries: Entry[]): readonly Entry[] {
  return entries.sort((a, b) => (a.registration.spec.name < b.registration.spec.name ? -1 : 1));
}
