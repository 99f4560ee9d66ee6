import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { type Caller, createView, decideSight, type Entry, type Snapshot } from "../core/index.ts";
import type { Documents } from "./documents.ts";
import type { Crowd } from "./lexical/index.ts";

/** So many different callers are remembered; the one that asked least recently goes first. */
const MAX_REMEMBERED = 32;
/** So many documents are looked at in one turn of the event loop. */
const AT_ONCE = 20_000;

/** What one kind of caller sees: the world in which its queries are answered. */
interface Audience {
  visible: Uint8Array;
  count: number;
  /** Documents that must be looked at again. */
  stale: number[];
}

/**
 * Remembers for each caller which documents it may see. Everything that a ranking depends on is counted
 * over these alone, so an answer cannot tell what is hidden (decision 014). What may be seen is decided by core.
 */
export class Audiences {
  readonly #documents: Documents;
  readonly #known = new Map<string, Audience>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** What a caller sees of a snapshot. */
  of(caller: Caller, snapshot: Snapshot): Crowd {
    const audience = this.#remember(caller);
    this.#refresh(audience, audience.stale.length, sightOf(caller, snapshot));
    return {
      visible: audience.visible,
      count: audience.count,
      whole: audience.count === this.#documents.end,
    };
  }

  /** Does most of the work of `of` in slices, where there is much: a caller's first query. */
  async prepare(caller: Caller, snapshot: () => Snapshot): Promise<void> {
    const audience = this.#remember(caller);
    while (audience.stale.length > AT_ONCE) {
      this.#refresh(audience, AT_ONCE, sightOf(caller, snapshot()));
      await turnOfEventLoop();
    }
  }

  /** Says that a document came, went or may be seen by others than before. */
  touch(document: number): void {
    for (const { stale } of this.#known.values()) stale.push(document);
  }

  /** Says that the rules changed. */
  forget(): void {
    this.#known.clear();
  }

  /** The identity is the key, whole: any part of it may decide. */
  #remember(caller: Caller): Audience {
    const key = JSON.stringify([caller.identity, caller.internal, caller.connection]);
    let audience = this.#known.get(key);
    this.#known.delete(key);
    if (!audience) {
      audience = { visible: new Uint8Array(0), count: 0, stale: [] };
      for (let number = 0; number < this.#documents.end; number++) audience.stale.push(number);
    }
    this.#known.set(key, audience);
    if (this.#known.size > MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value ?? "");
    return audience;
  }

  #refresh(audience: Audience, most: number, sees: (entry: Entry) => boolean): void {
    if (audience.visible.length < this.#documents.end) {
      const larger = new Uint8Array(Math.max(64, Math.ceil(this.#documents.end * 1.25)));
      larger.set(audience.visible);
      audience.visible = larger;
    }
    for (const document of audience.stale.splice(-most, most)) {
      const entry = this.#documents.entryOf(document);
      const isVisible = entry !== undefined && sees(entry) ? 1 : 0;
      audience.count += isVisible - (audience.visible[document] ?? 0);
      audience.visible[document] = isVisible;
    }
  }
}

/** What all share has one entry for each name; what a connection offers may stand behind it. */
function sightOf(caller: Caller, snapshot: Snapshot): (entry: Entry) => boolean {
  const view = createView(snapshot, caller);
  return ({ registration, source }) => {
    if (source.connection === undefined) return decideSight(registration, caller, snapshot.policy) === "open";
    if (source.connection !== caller.connection) return false;
    const look = view.look(registration.spec.name);
    return look?.sight === "open" && look.entry.registration === registration;
  };
}
