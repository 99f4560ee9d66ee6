import {
  type Caller,
  type CompiledPolicy,
  type HashTable,
  hashesOfWords,
  isPublic,
  permitsClass,
  plainForm,
  SimilarNames,
} from "../access/index.ts";
import type { Entry, Reach, Registration } from "../model/index.ts";
import { lastSegmentOf } from "../model/index.ts";

/** Tells operations apart that different callers may call; for most, which need no scopes, a number does. */
type AccessKey = string | number;

/** The operations of one namespace. It never changes: snapshots share those that no change has touched. */
export class Namespace {
  /** By their names and aliases. */
  readonly names: ReadonlyMap<string, Entry>;
  /** Those apart that different callers may call: what a caller may not see costs it no time. */
  readonly groups: readonly AccessGroup[];

  constructor(names: ReadonlyMap<string, Entry>) {
    this.names = names;
    this.groups = groupsOf(names);
  }
}

/** Operations of one namespace that the same callers may call, as far as their names do not say otherwise. */
export class AccessGroup {
  readonly key: AccessKey;
  readonly entries: readonly Entry[];
  /** By their names but for the namespace. */
  readonly #similar: SimilarNames;
  /** Numbers of operations by the last words of their names. */
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

  /** Whether a caller may call them. */
  isOpenTo(caller: Caller, policy: CompiledPolicy): boolean {
    return this.#example !== undefined && permitsClass(this.#example, caller, policy);
  }

  /** Without those that are denied or out of reach by their names. Remembered: looking at all names takes its time. */
  within(policy: CompiledPolicy, reach: Reach | undefined): AccessGroup {
    if (policy.deny.length === 0 && !reach) return this;
    const known = this.#within.get(policy) ?? new Map<string, AccessGroup>();
    this.#within.set(policy, known);
    const key = reach?.key ?? "";
    const group =
      known.get(key) ??
      this.#keeping(({ registration: { spec } }) => {
        const isDenied = policy.denies(spec.name) || spec.aliases?.some(policy.denies);
        return !isDenied && reach?.includes(spec) !== false;
      });
    known.set(key, group);
    return group;
  }

  /** Those that may be meant by a name in plain form without the namespace, and many that are not. */
  *like(plain: string): Iterable<Entry> {
    for (const id of this.#similar.candidates(plain)) yield this.entries[id] as Entry;
  }

  /** Those whose last segment is a word in plain form. */
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

/** Everything about a registration, apart from its name, that decides who sees it. */
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
