import type { Caller, CompiledPolicy } from "../access/index.ts";
import { FILTER_WORDS, filterBitOf, hashOfWord, nearest, plainForm, SimilarNames } from "../access/index.ts";
import type { Entry, Reach } from "../model/index.ts";
import { lastSegmentOf, MAX_NAME_LENGTH, namespaceOf } from "../model/index.ts";
import type { AccessGroup, Namespace } from "./namespace.ts";

/** In how many namespaces a name is looked for that was mistyped. */
const MAX_NAMESPACES = 2;

/** By what names alone are hidden. */
interface NameRules {
  readonly policy: CompiledPolicy;
  readonly reach: Reach | undefined;
}

/**
 * All operations of a snapshot that the same callers may call, by namespace. A caller sees all of a crowd or nothing, so
 * whatever is looked for in it neither shows what is hidden from that caller, nor takes longer because of it.
 */
export class Crowd {
  readonly groups: ReadonlyMap<string, AccessGroup>;
  readonly #policy: CompiledPolicy;
  readonly #names: readonly string[];
  readonly #namespaces: SimilarNames;
  readonly #all: readonly AccessGroup[];
  /** The filters of all groups in one place: to look into thousands of groups for each word would take long. */
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

  /** The crowds of some namespaces, without what is hidden by its name. */
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

  /** Whether a caller sees all of it; otherwise it sees nothing of it. */
  isOpenTo(caller: Caller): boolean {
    for (const group of this.groups.values()) return group.isOpenTo(caller, this.#policy);
    return false;
  }

  /** Entries that may be meant by a name that was mistyped, and many that are not. */
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

  /** The entries whose last segment is that of a name, however it is spelt: `createIssue`, `create_issue`. */
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

/** Longer ones are no names, and like none. */
export function isNameLike(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH;
}
