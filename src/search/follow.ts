import type { Delta, Entry, Registry, Snapshot, Source, SourceDelta } from "../core/index.ts";

/** How long work may go on before others get a turn; one more step may be a long one. */
const SLICE_MS = 6;

/** What an index does about a change. Each call is one small step of work. */
export interface Follower {
  /** An operation is new, or differs from before. */
  put(entry: Entry): void;
  /** An operation was registered anew, but says the same. */
  swap(entry: Entry): void;
  /** An operation of this source is gone; the name may have gone over to another source. */
  take(name: string, source: Source): void;
  policyChanged(): void;
  /** One step of tidying up; false when there is nothing left to do. */
  tidy(): boolean;
}

type Steps = Generator<void, void>;

/** Follows a registry from delta to delta, in slices, so that nobody waits behind it. */
export class Following {
  readonly #follower: Follower;
  readonly #stop: () => void;
  readonly #titles = new Map<string, string>();
  #work: Steps[] = [];
  #scheduled: Promise<void> | undefined;

  constructor(registry: Registry, follower: Follower) {
    this.#follower = follower;
    const snapshot = registry.snapshot();
    for (const { source, registrations } of snapshot.sources.values()) {
      const added = registrations.map(({ spec }) => spec.name);
      this.#take({ source, added, removed: [], changed: [] }, snapshot);
    }
    this.#stop = registry.onChange((delta, next) => this.#follow(delta, next));
    this.#schedule();
  }

  /** Does what is left for one slice; true when the index is up to date. */
  catchUp(): boolean {
    const end = performance.now() + SLICE_MS;
    for (let work = this.#work[0]; work; work = this.#work[0]) {
      while (!work.next().done) if (performance.now() > end) return false;
      this.#work.shift();
    }
    return true;
  }

  /** Resolves when the index is up to date. */
  async caughtUp(): Promise<void> {
    if (this.catchUp()) return;
    while (this.#work.length > 0) await this.#schedule();
  }

  /** Follows no longer. */
  close(): void {
    this.#stop();
    this.#work = [];
  }

  #follow(delta: Delta, snapshot: Snapshot): void {
    if (delta.policyChanged) this.#follower.policyChanged();
    for (const source of delta.sources) this.#take(source, snapshot);
    this.#schedule();
  }

  #take(delta: SourceDelta, snapshot: Snapshot): void {
    const { name, title, description } = delta.source;
    const words = JSON.stringify([title, description]);
    const renamed = this.#titles.get(name) !== words;
    if (snapshot.sources.has(name)) this.#titles.set(name, words);
    else this.#titles.delete(name);
    this.#work.push(stepsOf(delta, { snapshot, renamed, follower: this.#follower }));
  }

  #schedule(): Promise<void> {
    this.#scheduled ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#scheduled = undefined;
        // Tidying up waits for a turn of its own.
        const hadWork = this.#work.length > 0;
        if (hadWork) this.catchUp();
        if (hadWork || this.#tidy()) void this.#schedule();
        resolve();
      });
    });
    return this.#scheduled;
  }

  #tidy(): boolean {
    const end = performance.now() + SLICE_MS;
    while (this.#follower.tidy()) if (performance.now() > end) return true;
    return false;
  }
}

interface Change {
  readonly snapshot: Snapshot;
  /** The title of the source is searched with each of its operations. */
  readonly renamed: boolean;
  readonly follower: Follower;
}

function* stepsOf({ source, added, removed, changed }: SourceDelta, change: Change): Steps {
  const { snapshot, renamed, follower } = change;
  for (const name of removed) yield follower.take(name, source);
  const differing = new Set([...added, ...changed]);
  for (const registration of snapshot.sources.get(source.name)?.registrations ?? []) {
    const entry = { registration, source };
    if (renamed || differing.has(registration.spec.name)) yield follower.put(entry);
    else yield follower.swap(entry);
  }
}
