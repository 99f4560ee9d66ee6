import type { Steps } from "../../core/index.ts";
import {
  type Caller,
  createView,
  decideSight,
  type Entry,
  type Snapshot,
  sightKey,
} from "../../core/index.ts";
import type { Documents } from "./documents.ts";
import type { VisibleDocuments } from "./lexical/index.ts";

/** Number of remembered audiences; the least recently used is dropped first. */
const MAX_REMEMBERED = 32;

/** The documents that one kind of caller sees. */
interface Audience {
  visible: Uint8Array;
  count: number;
  /** Documents that must be looked at again. */
  stale: number[];
  /** Number of running preparations. */
  users: number;
}

/**
 * Remembers which documents each caller may see. Everything that a ranking depends on is counted
 * over these alone, so an answer reveals nothing hidden (decision 014). Core decides what is visible.
 */
export class Audiences {
  readonly #documents: Documents;
  readonly #known = new Map<string, Audience>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** The documents of a snapshot that a caller sees; documents that `prepare` has not checked are checked now. */
  of(caller: Caller, snapshot: Snapshot): VisibleDocuments {
    const audience = this.#remember(caller);
    const sees = sightOf(caller, snapshot);
    while (audience.stale.length > 0) this.#lookAgain(audience, sees);
    return {
      visible: audience.visible,
      count: audience.count,
      whole: audience.count === this.#documents.end,
    };
  }

  /** The work of `of` in steps: a caller's first query, or a change of the rules, takes many. */
  *prepare(caller: Caller, snapshotNow: () => Snapshot): Steps {
    const key = sightKey(caller);
    let audience = this.#remember(caller);
    let snapshot = snapshotNow();
    let sees = sightOf(caller, snapshot);
    while (audience.stale.length > 0) {
      this.#lookAgain(audience, sees);
      audience.users++;
      yield;
      audience.users--;
      // An audience in use is replaced only when the rules change.
      if (this.#known.get(key) !== audience) audience = this.#remember(caller);
      if (snapshotNow() === snapshot) continue;
      snapshot = snapshotNow();
      sees = sightOf(caller, snapshot);
    }
  }

  /** True if `prepare` has work to do for a caller. */
  isBehind(caller: Caller): boolean {
    return this.#known.get(sightKey(caller))?.stale.length !== 0;
  }

  /** Marks a document as added, removed, or visible to other callers than before. */
  touch(document: number): void {
    for (const { stale } of this.#known.values()) stale.push(document);
  }

  /** Drops all audiences, because the rules changed. */
  forget(): void {
    this.#known.clear();
  }

  #remember(caller: Caller): Audience {
    const key = sightKey(caller);
    let audience = this.#known.get(key);
    this.#known.delete(key);
    if (!audience) {
      audience = { visible: new Uint8Array(0), count: 0, stale: [], users: 0 };
      for (let number = 0; number < this.#documents.end; number++) audience.stale.push(number);
    }
    this.#known.set(key, audience);
    if (this.#known.size > MAX_REMEMBERED) this.#dropOne(audience);
    return audience;
  }

  #dropOne(but: Audience): void {
    for (const [key, audience] of this.#known) {
      if (audience === but || audience.users > 0) continue;
      this.#known.delete(key);
      return;
    }
  }

  /** Looks again at the last of the stale documents. */
  #lookAgain(audience: Audience, sees: (entry: Entry) => boolean): void {
    if (audience.visible.length < this.#documents.end) {
      const larger = new Uint8Array(Math.max(64, Math.ceil(this.#documents.end * 1.25)));
      larger.set(audience.visible);
      audience.visible = larger;
    }
    const document = audience.stale.pop() ?? 0;
    const entry = this.#documents.entryOf(document);
    const isVisible = entry !== undefined && sees(entry) ? 1 : 0;
    audience.count += isVisible - (audience.visible[document] ?? 0);
    audience.visible[document] = isVisible;
  }
}

/** The identity is the key, whole: any part of it may decide. */
/** Shared operations have one entry per name; a shared one hides a connection's own of the same name. */
function sightOf(caller: Caller, snapshot: Snapshot): (entry: Entry) => boolean {
  const view = createView(snapshot, caller);
  return ({ registration, source }) => {
    if (source.connection === undefined) return decideSight(registration, caller, snapshot.policy) === "open";
    if (source.connection !== caller.connection && source.connection !== caller.overlay) return false;
    const look = view.look(registration.spec.name);
    return look?.sight === "open" && look.entry.registration === registration;
  };
}
