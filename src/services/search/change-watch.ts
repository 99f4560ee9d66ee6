import {
  type Caller,
  createView,
  type Delta,
  defineOperation,
  type OperationContext,
  type Registration,
  type Registry,
  Slices,
  type Snapshot,
  type Steps,
  sameJson,
} from "../../core/index.ts";

/** Beyond this many changed names, comparing everything is cheaper than remembering them. */
const MAX_TOUCHED = 10_000;

const DONE = { done: true as const, value: undefined };

/** Changes of the visible operations since the last item. */
interface ChangeItem {
  /**
   * Counts what this caller was told. The registry's own counter would tell that something happened where
   * nothing could be seen.
   */
  readonly generation: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Options of a watch. */
interface ChangeWatchOptions {
  readonly registry: Registry;
  readonly context: Pick<OperationContext, "identity" | "connection" | "overlay" | "reach" | "signal">;
  readonly slices: Slices;
}

/**
 * The changes of a registry as one caller sees them: the difference between what it saw when it was last told and what
 * it sees when it asks again. Nothing is kept between the two but names, so that a slow consumer costs nothing.
 */
export class ChangeWatch implements AsyncIterableIterator<ChangeItem, undefined> {
  readonly #options: ChangeWatchOptions;
  readonly #caller: Caller;
  readonly #stop: () => void;
  #seen: Snapshot;
  /** Names that may differ; undefined: any of them. */
  #touched: Set<string> | undefined = new Set();
  #isStale = false;
  #generation = 0;
  #open = true;
  #wake: (() => void) | undefined;

  constructor(options: ChangeWatchOptions) {
    const { registry, context } = options;
    const { identity, connection, overlay, reach, signal } = context;
    this.#options = options;
    this.#caller = { identity, connection, overlay, reach, internal: false };
    this.#seen = registry.snapshot();
    this.#stop = registry.onChange((delta) => this.#note(delta));
    // Also after the reader has left.
    signal.addEventListener("abort", () => this.#close(), { once: true });
    if (signal.aborted) this.#close();
  }

  async next(): Promise<IteratorResult<ChangeItem, undefined>> {
    if (this.#open && this.#generation === 0) return this.#tell({ added: [], removed: [], changed: [] });
    while (this.#open) {
      if (!this.#isStale) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const before = this.#seen;
      const after = this.#options.registry.snapshot();
      const touched = this.#touched;
      this.#seen = after;
      this.#touched = new Set();
      this.#isStale = false;
      const steps = differences(before, after, { caller: this.#caller, touched });
      const found = await this.#options.slices.run(steps, this.#options.context.signal);
      if (found.added.length + found.removed.length + found.changed.length > 0) return this.#tell(found);
    }
    return DONE;
  }

  async return(): Promise<IteratorResult<ChangeItem, undefined>> {
    this.#close();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #tell(found: Omit<ChangeItem, "generation">): IteratorResult<ChangeItem, undefined> {
    return { done: false, value: { generation: this.#generation++, ...found } };
  }

  #note({ policyChanged, sources }: Delta): void {
    if (policyChanged) this.#touched = undefined;
    for (const { added, removed, changed } of sources)
      for (const names of [added, removed, changed]) for (const name of names) this.#touched?.add(name);
    if (this.#touched && this.#touched.size > MAX_TOUCHED) this.#touched = undefined;
    this.#isStale = true;
    this.#wake?.();
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stop();
    this.#wake?.();
  }
}

/** The differences between two snapshots for one caller. */
function* differences(
  before: Snapshot,
  after: Snapshot,
  { caller, touched }: { readonly caller: Caller; readonly touched: ReadonlySet<string> | undefined },
): Steps<Omit<ChangeItem, "generation">> {
  const [old, now] = [seenBy(before, caller), seenBy(after, caller)];
  const known = new Map<object, object>();
  const found = { added: [] as string[], removed: [] as string[], changed: [] as string[] };
  for (const name of touched ?? namesIn(before, after, caller)) {
    yield;
    const [one, other] = [old(name), now(name)];
    if (one === other) continue;
    if (!one) found.added.push(name);
    else if (!other) found.removed.push(name);
    else if (!sameJson(one.spec, other.spec, known) || !sameJson(one.via, other.via))
      found.changed.push(name);
  }
  for (const names of Object.values(found)) names.sort();
  return found;
}

function seenBy(snapshot: Snapshot, caller: Caller): (name: string) => Registration | undefined {
  const view = createView(snapshot, caller);
  return (name) => {
    const look = view.look(name);
    // By an alias it would be told twice.
    if (look?.sight !== "open" || look.entry.registration.spec.name !== name) return undefined;
    return look.entry.registration;
  };
}

function* namesIn(before: Snapshot, after: Snapshot, caller: Caller): Iterable<string> {
  const seen = new Set<string>();
  for (const snapshot of [before, after]) {
    for (const namespace of snapshot.namespaces(caller)) {
      for (const { registration } of snapshot.entriesIn(namespace, caller)) {
        const { name } = registration.spec;
        if (!seen.has(name)) yield name;
        seen.add(name);
      }
    }
  }
}

const NAMES = { type: "array", items: { type: "string" } } as const;

/** `services/changes`: tells a caller what comes, goes and changes of that which it may see, and of nothing else. */
export function defineChanges(registry: Registry): Registration {
  const slices = new Slices();
  return defineOperation({
    name: "services/changes",
    type: "subscription",
    description:
      "Follows which operations you may call come, go or change. The first item is empty and says that it follows from now on; a slow reader gets several changes as one.",
    outputSchema: {
      type: "object",
      properties: {
        generation: { type: "integer", description: "Counts the items of this subscription" },
        added: NAMES,
        removed: NAMES,
        changed: NAMES,
      },
      required: ["generation", "added", "removed", "changed"],
    },
    handler: (_input, context) => new ChangeWatch({ registry, context, slices }),
  });
}
