import {
  type Identity,
  type Log,
  messageOf,
  type Ownership,
  type OwnershipPorts,
  RecentMap,
  type Resource,
  type ResourceClass,
  SILENT_LOG,
} from "../model/index.ts";

/** Validity of an answer about types. */
const KEPT_MS = 60_000;
/** Time for which a port that failed is not asked again; its types have no owners meanwhile. */
const FAILED_MS = 5_000;
/** Time for which callers wait for a port. */
const PATIENCE_MS = 2_000;
/** Identities that are remembered at least. */
const MAX_REMEMBERED = 10_000;

/** Options of Owners. */
export interface OwnersOptions {
  readonly log?: Log | undefined;
  /** Milliseconds that only ever grow. */
  readonly now?: () => number;
  readonly patienceMs?: number;
}

/** The types of one port that an identity has something of. */
interface Kept {
  readonly types: readonly string[];
  readonly until: number;
}

/** Cached answers about one identity. */
interface Known {
  readonly kept: WeakMap<Ownership, Kept>;
  readonly asking: Map<Ownership, Promise<readonly string[]>>;
}

interface Question<Answer> {
  readonly port: Ownership;
  readonly asks: "types" | "owns" | "list";
  readonly isAnswer: (value: unknown) => value is Answer;
}

const EXPECTED: Readonly<Record<Question<unknown>["asks"], string>> = {
  types: "types must answer a list with some of the types that the port decides over",
  owns: "owns must answer true or false",
  list: "list must answer a list of ids, which are texts",
};

/**
 * Asks ownership ports, bounded in time. A port that fails, takes too long or answers nonsense is logged and means no: a caller
 * cannot tell one from the other.
 */
export class Owners {
  readonly #known = new RecentMap<string, Known>(MAX_REMEMBERED);
  readonly #log: Log;
  readonly #now: () => number;
  readonly #patienceMs: number;

  constructor({
    log = SILENT_LOG,
    now = () => performance.now(),
    patienceMs = PATIENCE_MS,
  }: OwnersOptions = {}) {
    this.#log = log;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  /** The identity together with the types that it has something of: at once where that is known. Never rejects. */
  withTypes(identity: Identity, ports: OwnershipPorts): Identity | Promise<Identity> {
    if (ports.size === 0 || !identity.authenticated) return having(identity, []);
    const known = this.#known.get(keyOf(identity), () => ({ kept: new WeakMap(), asking: new Map() }));
    const types = [...new Set(ports.values())].map((port) => this.#types(identity, port, known));
    const isKnown = (each: (typeof types)[number]): each is readonly string[] => !(each instanceof Promise);
    const inUse = (found: readonly string[]) =>
      having(
        identity,
        found.filter((type) => ports.has(type)),
      );
    return types.every(isKnown) ? inUse(types.flat()) : Promise.all(types).then((all) => inUse(all.flat()));
  }

  /** True if a port gives the identity a resource. */
  async owns(port: Ownership, identity: Identity, resource: Resource): Promise<boolean> {
    const answer = await this.#ask({ port, asks: "owns", isAnswer: isBoolean }, (signal) =>
      port.owns(identity, resource, signal),
    );
    return answer ?? false;
  }

  /** The ids of what a port gives the identity; undefined where it does not say. */
  list(
    port: Ownership,
    identity: Identity,
    resources: ResourceClass,
  ): Promise<readonly string[] | undefined> {
    return this.#ask({ port, asks: "list", isAnswer: isListOfTexts }, (signal) =>
      port.list(identity, resources, signal),
    );
  }

  #types(
    identity: Identity,
    port: Ownership,
    { kept, asking }: Known,
  ): readonly string[] | Promise<readonly string[]> {
    const before = kept.get(port);
    if (before && before.until > this.#now()) return before.types;
    const running = asking.get(port);
    if (running) return running;
    const isAnswer = (value: unknown): value is readonly string[] =>
      isListOfTexts(value) && value.every((type) => port.decides.includes(type));
    const asked = this.#ask({ port, asks: "types", isAnswer }, (signal) => port.types(identity, signal)).then(
      (types) => {
        asking.delete(port);
        kept.set(port, { types: types ?? [], until: this.#now() + (types ? KEPT_MS : FAILED_MS) });
        return types ?? [];
      },
    );
    asking.set(port, asked);
    return asked;
  }

  /** Callers share an answer, so that it does not end with one of them. */
  async #ask<Answer>(
    { port, asks, isAnswer }: Question<Answer>,
    ask: (signal: AbortSignal) => unknown,
  ): Promise<Answer | undefined> {
    const late = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const reason = new Error(`it has not answered within ${this.#patienceMs} ms`);
        late.abort(reason);
        reject(reason);
      }, this.#patienceMs);
      // This timer must not keep the process alive.
      timer.unref?.();
    });
    try {
      const answer = await Promise.race([Promise.resolve(late.signal).then(ask), tooLate]);
      if (isAnswer(answer)) return answer;
      throw new Error(EXPECTED[asks]);
    } catch (error) {
      this.#log.error("An ownership port failed, so that its resources are refused", {
        decides: port.decides,
        asked: asks,
        error: messageOf(error),
      });
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Answers of ports to one call, or to all calls of a batch: each question is asked once. */
export class ResourceAnswers {
  readonly #asked = new Map<string, Promise<unknown>>();
  readonly #owned = new Set<string>();

  owns(resource: Resource, ask: () => Promise<boolean>): Promise<boolean> {
    const key = textOf(resource);
    return this.#once(key, async () => {
      const owns = await ask();
      if (owns) this.#owned.add(key);
      return owns;
    });
  }

  list<Ids>(resources: ResourceClass, ask: () => Promise<Ids>): Promise<Ids> {
    return this.#once(textOf(resources), ask);
  }

  /** True if a port has already said that the identity owns it. */
  knowsOwned(resource: Resource): boolean {
    return this.#owned.has(textOf(resource));
  }

  #once<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked = (this.#asked.get(key) as Promise<Answer> | undefined) ?? ask();
    this.#asked.set(key, asked);
    return asked;
  }
}

function textOf({ type, action, id }: ResourceClass & Partial<Resource>): string {
  return JSON.stringify([type, action, id]);
}

/** Identities with different rights are different owners to a port. */
function keyOf({ id, scopes, resources }: Identity): string {
  return JSON.stringify([id, scopes, resources]);
}

function having(identity: Identity, types: readonly string[]): Identity {
  if (types.length === 0 && identity.owned === undefined) return identity;
  const { owned: _, ...rest } = identity;
  return types.length === 0 ? rest : { ...rest, owned: [...types].sort() };
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
