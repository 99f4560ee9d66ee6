import {
  type Delta,
  type Entry,
  type Log,
  type Registry,
  type Slices,
  type Snapshot,
  type Source,
  type SourceDelta,
  type Steps,
  stackOf,
} from "../../core/index.ts";

/** Handles changes for an index. Each call is one small step of work. */
export interface Follower {
  /** An operation is new or has changed. */
  put(entry: Entry): void;
  /** An operation was registered again with the same spec. */
  swap(entry: Entry): void;
  /** An operation of this source was removed; another source may have its name now. */
  take(name: string, source: Source): void;
  policyChanged(): void;
  /** Tidies up, where there is enough to tidy. */
  tidy(): Steps;
}

/** Dependencies of an IndexUpdater. */
interface FollowOptions {
  readonly slices: Slices;
  readonly log: Log;
}

/**
 * Follows a registry from delta to delta, in slices, so that other requests do not wait. An operation that a follower
 * cannot handle is left out with a line in the log; the others are indexed.
 */
export class IndexUpdater {
  readonly #follower: Follower;
  readonly #slices: Slices;
  readonly #log: Log;
  readonly #stop: () => void;
  readonly #titles = new Map<string, string>();
  #work: Steps[] = [];
  #working: Promise<void> | undefined;
  #tidying = false;

  constructor(registry: Registry, follower: Follower, { slices, log }: FollowOptions) {
    this.#follower = sparing(follower, log);
    this.#slices = slices;
    this.#log = log;
    const snapshot = registry.snapshot();
    for (const set of snapshot.sources.values()) {
      this.#isRenamed(set.source, snapshot);
      this.#work.push(putAll(set.registrations, set.source, this.#follower));
    }
    this.#stop = registry.onChange((delta, next) => this.#follow(delta, next));
    this.#start();
  }

  /** Resolves when the index is up to date. */
  async caughtUp(): Promise<void> {
    while (this.#work.length > 0) {
      this.#working ??= this.#catchUp();
      await this.#working;
    }
  }

  /** Follows no longer. */
  close(): void {
    this.#stop();
    for (const steps of this.#work) steps.return();
    this.#work = [];
  }

  /** True while there is work left. */
  get isBehind(): boolean {
    return this.#work.length > 0;
  }

  #follow(delta: Delta, snapshot: Snapshot): void {
    if (delta.policyChanged) this.#follower.policyChanged();
    for (const source of delta.sources) {
      const change = {
        snapshot,
        renamed: this.#isRenamed(source.source, snapshot),
        follower: this.#follower,
      };
      this.#work.push(stepsOf(source, change));
    }
    this.#start();
  }

  /** True if the title or description of a source has changed. */
  #isRenamed({ name, title, description }: Source, snapshot: Snapshot): boolean {
    const words = JSON.stringify([title, description]);
    const renamed = this.#titles.get(name) !== words;
    if (snapshot.sources.has(name)) this.#titles.set(name, words);
    else this.#titles.delete(name);
    return renamed;
  }

  /** Index later: a registry change never waits for us, a query does. */
  #start(): void {
    setImmediate(() => {
      this.#settle().catch((error: unknown) =>
        this.#log.error("The search index could not be brought up to date", { error: stackOf(error) }),
      );
    });
  }

  async #settle(): Promise<void> {
    await this.caughtUp();
    if (this.#tidying) return;
    this.#tidying = true;
    try {
      await this.#slices.run(this.#follower.tidy());
    } finally {
      this.#tidying = false;
    }
  }

  async #catchUp(): Promise<void> {
    try {
      for (let work = this.#work[0]; work; work = this.#work[0]) {
        // Removed even if it fails, or it would block all later work.
        await this.#slices.run(work).finally(() => this.#work.shift());
      }
    } finally {
      this.#working = undefined;
    }
  }
}

/** A follower that goes on after an operation that cannot be indexed. */
function sparing(follower: Follower, log: Log): Follower {
  const attempt = (operation: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error("An operation cannot be indexed; search does not find it", {
        operation,
        error: stackOf(error),
      });
    }
  };
  return {
    put: (entry) => attempt(entry.registration.spec.name, () => follower.put(entry)),
    swap: (entry) => attempt(entry.registration.spec.name, () => follower.swap(entry)),
    take: (name, source) => attempt(name, () => follower.take(name, source)),
    policyChanged: () => follower.policyChanged(),
    tidy: () => follower.tidy(),
  };
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
  const registrations = snapshot.sources.get(source.name)?.registrations ?? [];
  if (renamed) return yield* putAll(registrations, source, follower);
  const differing = new Set<string>();
  for (const names of [added, changed]) for (const name of names) yield void differing.add(name);
  for (const registration of registrations) {
    const entry = { registration, source };
    if (differing.has(registration.spec.name)) yield follower.put(entry);
    else yield follower.swap(entry);
  }
}

function* putAll(registrations: readonly Entry["registration"][], source: Source, follower: Follower): Steps {
  for (const registration of registrations) yield follower.put({ registration, source });
}
