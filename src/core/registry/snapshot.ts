import type { CompiledPolicy } from "../access/index.ts";
import { compilePatterns } from "../access/index.ts";
import type { Entry, OwnershipPorts, Reach, SourceSet } from "../model/index.ts";
import { namespaceOf } from "../model/index.ts";
import { Crowd, type Namespace } from "./namespace.ts";

/** Namespaces by name, so that a change copies only those that it touches. */
export type NamespaceIndex = ReadonlyMap<string, Namespace>;

/** Key of the operations that every connection sees. */
export const SHARED = undefined;

/** Content of a snapshot. */
interface SnapshotParts {
  readonly revision: number;
  readonly policy: CompiledPolicy;
  readonly sources: ReadonlyMap<string, SourceSet>;
  /** One index for all connections, and one more for each connection that offers operations of its own. */
  readonly indexes: ReadonlyMap<string | typeof SHARED, NamespaceIndex>;
}

/** The whole registry at one moment. It never changes; a running call keeps the one it started with. */
export class Snapshot {
  readonly revision: number;
  readonly policy: CompiledPolicy;
  readonly sources: ReadonlyMap<string, SourceSet>;
  readonly indexes: SnapshotParts["indexes"];
  /** Sorted on first use: most changes never need the sorted list of 100,000 names. */
  readonly #sorted = new Map<string | typeof SHARED, readonly Entry[]>();

  readonly #crowds = new Map<string, readonly Crowd[]>();
  #ownership: OwnershipPorts | undefined;

  constructor(parts: SnapshotParts) {
    this.revision = parts.revision;
    this.policy = parts.policy;
    this.sources = parts.sources;
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

  /** The entry of a name or alias, as a connection sees it; shared operations come first. */
  find(name: string, connection?: string): Entry | undefined {
    const namespace = namespaceOf(name);
    const shared = this.indexes.get(SHARED)?.get(namespace)?.names.get(name);
    if (shared || connection === undefined) return shared;
    return this.indexes.get(connection)?.get(namespace)?.names.get(name);
  }

  /** Every entry once, by name, as a connection sees them. */
  entries(connection?: string): readonly Entry[] {
    const key = this.#keyOf(connection);
    const known = this.#sorted.get(key);
    if (known) return known;
    const sorted = byName([...this.namespaces(key)].flatMap((each) => [...this.entriesIn(each, key)]));
    this.#sorted.set(key, sorted);
    return sorted;
  }

  /** The entries of one namespace, in no order. */
  *entriesIn(namespace: string, connection?: string): Iterable<Entry> {
    const key = this.#keyOf(connection);
    for (const index of key === SHARED ? [SHARED] : [SHARED, key]) {
      for (const [name, entry] of this.indexes.get(index)?.get(namespace)?.names ?? []) {
        const isAlias = name !== entry.registration.spec.name;
        if (!isAlias && this.find(name, key) === entry) yield entry;
      }
    }
  }

  /** The entries within reach, grouped by access rules. */
  crowds(connection?: string, reach?: Reach): readonly Crowd[] {
    const key = this.#keyOf(connection);
    const indexes = key === SHARED ? [SHARED] : [SHARED, key];
    return indexes.flatMap((index) => this.#crowdsOf(index, reach));
  }

  /** Number of entries that a connection sees. */
  count(connection?: string): number {
    let count = 0;
    for (const namespace of this.namespaces(connection))
      for (const _ of this.entriesIn(namespace, connection)) count++;
    return count;
  }

  /** The namespaces with operations that a connection could see. */
  namespaces(connection?: string): ReadonlySet<string> {
    const shared = this.indexes.get(SHARED)?.keys() ?? [];
    const own = connection === undefined ? [] : (this.indexes.get(connection)?.keys() ?? []);
    return new Set([...shared, ...own]);
  }

  #crowdsOf(index: string | typeof SHARED, reach: Reach | undefined): readonly Crowd[] {
    const key = JSON.stringify([index, reach?.key]);
    const known = this.#crowds.get(key);
    if (known) return known;
    const crowds = Crowd.of(this.indexes.get(index) ?? new Map(), { policy: this.policy, reach });
    this.#crowds.set(key, crowds);
    return crowds;
  }

  #keyOf(connection: string | undefined): string | typeof SHARED {
    return connection !== undefined && this.indexes.has(connection) ? connection : SHARED;
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
