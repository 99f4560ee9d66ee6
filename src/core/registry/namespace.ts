import {
  type Caller,
  type CompiledPolicy,
  FILTER_WORDS,
  filterBitOf,
  type HashTable,
  hashesOfWords,
  hashOfWord,
  isDenied,
  isPublic,
  nearest,
  permitsClass,
  plainForm,
  SimilarNames,
} from "../access/index.ts";
import {
  type Entry,
  lastSegmentOf,
  MAX_NAME_LENGTH,
  namespaceOf,
  type Reach,
  type Registration,
} from "../model/index.ts";

/** Key of operations with equal access rules; a number for most, which need no scopes. */
type AccessKey = string | number;

/** The operations of one namespace. Immutable: snapshots share the namespaces that a change does not touch. */
export class Namespace {
  /** By their names and aliases. */
  readonly names: ReadonlyMap<string, Entry>;
  /** Grouped by access rules, so that hidden operations cost a caller no time. */
  readonly groups: readonly AccessGroup[];

  constructor(names: ReadonlyMap<string, Entry>) {
    this.names = names;
    this.groups = groupsOf(names);
  }
}

/** Operations of one namespace with equal access rules, denied names aside. */
class AccessGroup {
  readonly key: AccessKey;
  readonly entries: readonly Entry[];
  /** By name without the namespace. */
  readonly #similar: SimilarNames;
  /** Ids of operations by the last segments of their names. */
  readonly words: HashTable;
  readonly #within = new WeakMap<CompiledPolicy, Map<string, AccessGroup>>();

  constructor(key: AccessKey, entries: readonly Entry[]) {
    this.key = key;
    this.entries = entries;
    const names = entries.map(nameOf);
    const namespace = this.#example?.spec.namespace ?? "";
    this.words = hashesOfWords(names);
    this.#similar = new SimilarNames(names, namespace.length + 1);
  }

  get #example(): Registration | undefined {
    return this.entries[0]?.registration;
  }

  /** True if a caller may call them. */
  isOpenTo(caller: Caller, policy: CompiledPolicy): boolean {
    return this.#example !== undefined && permitsClass(this.#example, caller, policy);
  }

  /** The group without operations whose names are denied or out of reach. Cached, because it looks at every name. */
  within(policy: CompiledPolicy, reach: Reach | undefined): AccessGroup {
    if (policy.deny.length === 0 && !reach) return this;
    const known = this.#within.get(policy) ?? new Map<string, AccessGroup>();
    this.#within.set(policy, known);
    const key = reach?.key ?? "";
    const group =
      known.get(key) ??
      this.#keeping(
        ({ registration }) => !isDenied(registration, policy) && reach?.includes(registration.spec) !== false,
      );
    known.set(key, group);
    return group;
  }

  /** Entries that a local name in plain form may mean, and many that it does not. */
  *like(plain: string): Iterable<Entry> {
    for (const id of this.#similar.candidates(plain)) yield this.entries[id] as Entry;
  }

  /** Entries whose last segment is this word in plain form. */
  ofWord(plain: string, hash: number): readonly Entry[] {
    return this.words
      .find(hash, Number.POSITIVE_INFINITY)
      .map((id) => this.entries[id] as Entry)
      .filter((entry) => plainForm(lastSegmentOf(nameOf(entry))) === plain);
  }

  #keeping(keeps: (entry: Entry) => boolean): AccessGroup {
    const kept = this.entries.filter(keeps);
    return kept.length === this.entries.length ? this : new AccessGroup(this.key, kept);
  }
}

function groupsOf(names: ReadonlyMap<string, Entry>): readonly AccessGroup[] {
  const entries = new Map<AccessKey, Entry[]>();
  for (const [name, entry] of names) {
    if (name !== nameOf(entry)) continue;
    const key = accessKeyOf(entry.registration);
    const known = entries.get(key);
    if (known) known.push(entry);
    else entries.set(key, [entry]);
  }
  return [...entries].map(([key, group]) => new AccessGroup(key, group));
}

/** Everything about a registration, except its name, that decides who sees it. */
function accessKeyOf(registration: Registration): AccessKey {
  const { spec, owner } = registration;
  const { authenticated, scopes, anyScope, resource } = spec.access;
  const isClosed = !isPublic(registration);
  const flags = [spec.visibility === "internal", spec.mutates, isClosed, authenticated === true];
  const key = flags.reduce((bits, flag) => bits * 2 + Number(flag), 0);
  const rest = [scopes, anyScope, resource?.type, owner];
  return rest.some((each) => each !== undefined) ? JSON.stringify([key, ...rest]) : key;
}

function nameOf({ registration }: Entry): string {
  return registration.spec.name;
}

/** Namespaces to search for a mistyped name. */
const MAX_NAMESPACES = 2;

/** Rules that hide operations by name alone. */
interface NameRules {
  readonly policy: CompiledPolicy;
  readonly reach: Reach | undefined;
}

/**
 * All operations of a snapshot that the same callers may call, by namespace. A caller sees all of a crowd or nothing, so
 * a search in it neither shows hidden operations nor takes longer because of them.
 */
export class Crowd {
  readonly groups: ReadonlyMap<string, AccessGroup>;
  readonly #policy: CompiledPolicy;
  readonly #names: readonly string[];
  readonly #namespaces: SimilarNames;
  readonly #all: readonly AccessGroup[];
  /** The filters of all groups in one array: looking into thousands of groups for each word would take too long. */
  readonly #filters: Uint32Array;

  private constructor(groups: ReadonlyMap<string, AccessGroup>, policy: CompiledPolicy) {
    this.groups = groups;
    this.#policy = policy;
    this.#names = [...groups.keys()];
    this.#namespaces = new SimilarNames(this.#names);
    this.#all = [...groups.values()];
    this.#filters = new Uint32Array(this.#all.length * FILTER_WORDS);
    this.#all.forEach(({ words }, index) => {
      this.#filters.set(words.filter, index * FILTER_WORDS);
    });
  }

  /** The crowds of some namespaces, without operations that their names hide. */
  static of(namespaces: ReadonlyMap<string, Namespace>, { policy, reach }: NameRules): readonly Crowd[] {
    const crowds = new Map<AccessGroup["key"], Map<string, AccessGroup>>();
    for (const [name, { groups }] of namespaces) {
      for (const group of groups) {
        const seen = group.within(policy, reach);
        if (seen.entries.length === 0) continue;
        const crowd = crowds.get(group.key) ?? new Map<string, AccessGroup>();
        crowds.set(group.key, crowd.set(name, seen));
      }
    }
    return [...crowds.values()].map((groups) => new Crowd(groups, policy));
  }

  /** True if a caller sees all of it; otherwise it sees none of it. */
  isOpenTo(caller: Caller): boolean {
    for (const group of this.groups.values()) return group.isOpenTo(caller, this.#policy);
    return false;
  }

  /** Entries that a mistyped name may mean, and many that it does not. */
  *like(name: string): Iterable<Entry> {
    const namespace = name.includes("/") ? namespaceOf(name) : this.#namespaceBefore(name);
    const local = plainForm(name.slice(namespace.length + 1));
    const exact = this.groups.get(namespace);
    if (exact) return yield* exact.like(local);
    const likely = [...this.#namespaces.candidates(plainForm(namespace))].map((id) => this.#names[id] ?? "");
    const near = nearest(namespace, likely, MAX_NAMESPACES);
    for (const each of near) yield* this.groups.get(each)?.like(local) ?? [];
  }

  /** The longest namespace that a name without a slash begins with, as `chat_send`, `chat.send` and `chat:send` do. */
  #namespaceBefore(name: string): string {
    const ends = [...name.matchAll(/[_.:-]/g)].map(({ index }) => name.slice(0, index));
    return ends.findLast((start) => this.groups.has(start)) ?? name;
  }

  /** The entries with the last segment of a name, in any spelling: `createIssue`, `create_issue`. */
  ofWord(name: string): readonly Entry[] {
    const plain = plainForm(lastSegmentOf(name));
    const hash = hashOfWord(plain);
    const { word, bit } = filterBitOf(hash);
    const found: Entry[] = [];
    for (let index = 0; index < this.#all.length; index++) {
      const mayHave = ((this.#filters[index * FILTER_WORDS + word] as number) & bit) !== 0;
      for (const entry of (mayHave && this.#all[index]?.ofWord(plain, hash)) || []) found.push(entry);
    }
    return found;
  }
}

/** Longer texts are not names, and similar to none. */
export function isNameLike(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH;
}
