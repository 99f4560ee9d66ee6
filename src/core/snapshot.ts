import type { CompiledPolicy } from "./access.ts";
import { lastSegmentOf, namespaceOf } from "./name.ts";
import { plainForm } from "./nearest.ts";
import { compilePatterns } from "./pattern.ts";
import type { Entry, SourceSet } from "./source.ts";

/** Names and aliases to entries, by namespace, so that a change copies only the namespaces it touches. */
export type NamespaceIndex = ReadonlyMap<string, ReadonlyMap<string, Entry>>;

/** The key under which operations stand that every connection sees. */
export const SHARED = undefined;

/** Everything that a snapshot is made of. */
export interface SnapshotParts {
  readonly generation: number;
  readonly policy: CompiledPolicy;
  readonly sources: ReadonlyMap<string, SourceSet>;
  /** One index for all connections, and one more for each connection that offers operations of its own. */
  readonly indexes: ReadonlyMap<string | typeof SHARED, NamespaceIndex>;
}

/** The whole registry at one moment. It never changes; a running call keeps the one it started with. */
export class Snapshot {
  readonly generation: number;
  readonly policy: CompiledPolicy;
  readonly sources: ReadonlyMap<string, SourceSet>;
  readonly indexes: SnapshotParts["indexes"];
  /** Made on first use; sorting 100,000 names on every change would be wasted on most of them. */
  readonly #sorted = new Map<string | typeof SHARED, readonly Entry[]>();

  constructor(parts: SnapshotParts) {
    this.generation = parts.generation;
    this.policy = parts.policy;
    this.sources = parts.sources;
    this.indexes = parts.indexes;
  }

  /** The same operations where others are denied: what a config would come to. */
  denying(deny: readonly string[]): Snapshot {
    return new Snapshot({ ...this, policy: { ...this.policy, denies: compilePatterns(deny) } });
  }

  /** The entry of a name or alias, as a connection sees it; what all share comes first. */
  find(name: string, connection?: string): Entry | undefined {
    const namespace = namespaceOf(name);
    const shared = this.indexes.get(SHARED)?.get(namespace)?.get(name);
    if (shared || connection === undefined) return shared;
    return this.indexes.get(connection)?.get(namespace)?.get(name);
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
      for (const [name, entry] of this.indexes.get(index)?.get(namespace) ?? []) {
        const isAlias = name !== entry.registration.spec.name;
        if (!isAlias && this.find(name, key) === entry) yield entry;
      }
    }
  }

  /** The entries whose last segment is this word, however it is spelt: `createIssue`, `create_issue`. */
  entriesOfWord(word: string, connection?: string): readonly Entry[] {
    const key = this.#keyOf(connection);
    const plain = plainForm(lastSegmentOf(word));
    const found = new Set<Entry>();
    for (const index of key === SHARED ? [SHARED] : [SHARED, key]) {
      for (const names of this.indexes.get(index)?.values() ?? []) {
        for (const name of names.keys()) {
          const entry = endsInWord(name, plain) ? this.find(name, key) : undefined;
          if (entry?.registration.spec.name === name) found.add(entry);
        }
      }
    }
    return byName([...found]);
  }

  /** How many entries there are, as a connection sees them. */
  count(connection?: string): number {
    let count = 0;
    for (const namespace of this.namespaces(connection))
      for (const _ of this.entriesIn(namespace, connection)) count++;
    return count;
  }

  /** The namespaces in which a connection could find something. */
  namespaces(connection?: string): ReadonlySet<string> {
    const shared = this.indexes.get(SHARED)?.keys() ?? [];
    const own = connection === undefined ? [] : (this.indexes.get(connection)?.keys() ?? []);
    return new Set([...shared, ...own]);
  }

  #keyOf(connection: string | undefined): string | typeof SHARED {
    return connection !== undefined && this.indexes.has(connection) ? connection : SHARED;
  }
}

const SEPARATORS: ReadonlySet<number> = new Set([..."_.-"].map((letter) => letter.charCodeAt(0)));
/** What makes a capital letter a small one; digits have it. */
const SMALL = 0x20;

/**
 * Whether the last segment of a name is a word in plain form. Letter by letter from the end, so that a hundred thousand
 * names are looked through in no time where one was not found.
 */
function endsInWord(name: string, plain: string): boolean {
  let left = plain.length;
  for (let at = name.length - 1; name[at] !== "/"; at--) {
    const letter = name.charCodeAt(at);
    if (SEPARATORS.has(letter)) continue;
    if (left === 0 || (letter | SMALL) !== plain.charCodeAt(--left)) return false;
  }
  return left === 0;
}

/** Sorts entries by the names of their operations. */
export function byName(entries: Entry[]): readonly Entry[] {
  return entries.sort((a, b) => (a.registration.spec.name < b.registration.spec.name ? -1 : 1));
}
