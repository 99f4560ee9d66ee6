import { type Entrance, type Readmission, refusalToReadmit } from "../../core/index.ts";

/** Most listeners of one endpoint. */
const MAX_LISTENERS = 1_024;

/** A digest of the list of tools that a caller is shown. */
export type Listed = (entrance: Entrance) => string;

/** A client that wants to hear when its list of tools changes. */
interface Listener {
  readonly entrance: Entrance;
  /** Authenticates its caller again; without it the caller is known for good. */
  readonly readmission?: Readmission | undefined;
  readonly tell: () => void;
  readonly end: () => void;
}

interface Known extends Listener {
  /** Renewed with each authentication: a config may give a caller more than it had. */
  entrance: Entrance;
  rules: unknown;
  listed: string;
}

/** Clients that listen at one endpoint. They outlive it: a reload puts another one in its place. */
export class Listeners {
  readonly #open = new Set<Known>();
  readonly #ended = new AbortController();

  /** Aborts when all of them are ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** True if this caller may have one more; `most` holds for callers without a limit of their own. */
  hasRoomFor({ identity }: Entrance, most: number): boolean {
    const { connections = most } = identity.limits ?? {};
    let own = 0;
    for (const { entrance } of this.#open) if (entrance.identity.id === identity.id) own++;
    return own < connections && this.#open.size < MAX_LISTENERS;
  }

  /** Adds one until the returned function is called. */
  add(listener: Listener, listed: Listed): () => void {
    const { entrance, readmission } = listener;
    const known = { ...listener, rules: readmission?.rules(), listed: listed(entrance) };
    this.#open.add(known);
    return () => this.#open.delete(known);
  }

  /** Ends all of them; running calls go on. */
  end(): void {
    this.#ended.abort();
  }

  /**
   * Tells those whose own list has changed, and ends those whose callers would not be authenticated again. Tokens are
   * checked where the rules have changed, and all of them with `recheck`.
   */
  async look(listed: Listed, recheck: boolean): Promise<void> {
    await Promise.all([...this.#open].map((listener) => this.#authenticate(listener, recheck)));
    for (const listener of this.#open) {
      // A list may be long, so that other work goes on between two of them; the rules may change meanwhile.
      await new Promise(setImmediate);
      if (listener.readmission?.rules() !== listener.rules) continue;
      const now = listed(listener.entrance);
      if (now === listener.listed) continue;
      listener.listed = now;
      listener.tell();
    }
  }

  async #authenticate(listener: Known, recheck: boolean): Promise<void> {
    const { entrance, readmission, end } = listener;
    const rules = readmission?.rules();
    if (!readmission || (rules === listener.rules && !recheck)) return;
    const entering = readmission.enter();
    const refusal = await refusalToReadmit(entrance.identity, entering);
    if (refusal) {
      this.#open.delete(listener);
      end();
      return;
    }
    listener.rules = rules;
    // An issuer that cannot be asked at the moment has not taken the token back.
    listener.entrance = await entering.catch(() => entrance);
  }
}
