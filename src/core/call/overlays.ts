import { type Identity, type Log, messageOf, SILENT_LOG, type SourceSet } from "../model/index.ts";
import type { Registry } from "../registry/index.ts";

/** A caller that gets operations of its own. */
export interface OverlayCaller {
  readonly identity: Identity;
  /** Aborts when its overlay ends. Calls that run at that time go on. */
  readonly signal: AbortSignal;
}

/** Makes the operations that only one caller has, if it has any. Asked once for each caller, and again when its overlay has ended. */
export type Overlay = (caller: OverlayCaller) => SourceSet | undefined | Promise<SourceSet | undefined>;

/** Options of Overlays. */
interface OverlaysOptions {
  readonly registry: Registry;
  readonly overlay: Overlay;
  readonly log?: Log | undefined;
  /** Most overlays at the same time, 1,000 by default. */
  readonly most?: number;
  /** Time for which the overlay of an idle caller is kept, 10 minutes by default. */
  readonly idleMs?: number;
  /** Time allowed for making an overlay, 5 s by default. */
  readonly patienceMs?: number;
}

interface Opened {
  readonly controller: AbortController;
  readonly key: Promise<string | undefined>;
  usedAt: number;
}

/** Operations that single callers have beside those that all share, kept while these callers are active. */
export class Overlays {
  readonly #options: Required<Omit<OverlaysOptions, "log">> & { readonly log: Log };
  /** By caller; the least recently used is first. */
  readonly #opened = new Map<string, Opened>();

  constructor({ log = SILENT_LOG, ...options }: OverlaysOptions) {
    this.#options = { most: 1_000, idleMs: 600_000, patienceMs: 5_000, ...options, log };
  }

  /** The key of a caller's overlay; undefined if it has none. */
  open(identity: Identity): Promise<string | undefined> {
    const { id, authenticated, scopes, resources, mutations } = identity;
    const name = `overlay:${JSON.stringify([id, authenticated, scopes, resources, mutations])}`;
    const opened = this.#opened.get(name) ?? this.#begin(name, identity);
    this.#opened.delete(name);
    this.#opened.set(name, opened);
    opened.usedAt = performance.now();
    this.#endUnused();
    return opened.key;
  }

  /** Ends all of them; callers that come again get new ones. */
  clear(): void {
    for (const name of [...this.#opened.keys()]) this.#end(name);
  }

  #begin(name: string, identity: Identity): Opened {
    const controller = new AbortController();
    return { controller, usedAt: 0, key: this.#register(name, identity, controller.signal) };
  }

  /** A caller without its overlay still has everything else, so a failure does not refuse its calls. */
  async #register(name: string, identity: Identity, signal: AbortSignal): Promise<string | undefined> {
    const { registry, overlay, log, patienceMs } = this.#options;
    try {
      const set = await within(patienceMs, async () => overlay({ identity, signal }));
      if (!set || signal.aborted) return undefined;
      registry.apply({ replace: [{ ...set, source: { ...set.source, name, connection: name } }] });
      return name;
    } catch (error) {
      log.error("The overlay of a caller cannot be used", {
        principal: identity.id,
        reason: messageOf(error),
      });
      if (!signal.aborted) this.#end(name);
      return undefined;
    }
  }

  #endUnused(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const [name, { usedAt }] of this.#opened) {
      if (this.#opened.size <= this.#options.most && usedAt >= before) return;
      this.#end(name);
    }
  }

  #end(name: string): void {
    this.#opened.get(name)?.controller.abort();
    this.#opened.delete(name);
    this.#options.registry.apply({ remove: [name] });
  }
}

async function within<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It was not made within ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
