import {
  type Caller,
  type Entrance,
  type Reach,
  type Readmission,
  refusalToReadmit,
} from "../../core/index.ts";

/** The most that listen at one address. */
const MAX_LISTENERS = 1_024;

/** What a caller at an address is shown; another text for another list of tools. */
export type Listed = (caller: Caller) => string;

/** A client that wants to hear when its list of tools changes. */
export interface Listener {
  readonly entrance: Entrance;
  /** How its caller is let in once more; without it the caller is known for good. */
  readonly readmission?: Readmission | undefined;
  readonly tell: () => void;
  readonly end: () => void;
}

interface Known extends Listener {
  /** Renewed with each readmission: a config may give a caller more than it had. */
  entrance: Entrance;
  rules: unknown;
  listed: string;
}

/** Clients that listen at one address. They outlive the endpoint that they came to. */
export class Listeners {
  readonly #open = new Set<Known>();
  readonly #ended = new AbortController();

  /** Aborts when they are all let go. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get isFull(): boolean {
    return this.#open.size >= MAX_LISTENERS;
  }

  /** Takes one in until the answer is called. */
  add(listener: Listener, listed: Listed): () => void {
    const { entrance, readmission } = listener;
    const known = { ...listener, rules: readmission?.rules(), listed: listed(entrance.caller) };
    this.#open.add(known);
    return () => this.#open.delete(known);
  }

  /** Lets go of all of them; running calls go on. */
  end(): void {
    this.#ended.abort();
  }

  /**
   * Tells those whose own list is another one now, and lets go of those who would not be let in again. Tokens are
   * looked at where the rules are new, and all of them where `recheck` says so.
   */
  async look(listed: Listed, { reach, recheck }: LookOptions): Promise<void> {
    await Promise.all([...this.#open].map((listener) => this.#readmit(listener, recheck)));
    for (const listener of this.#open) {
      // Others go on between two of them, as a list may be long; who has not been let in by the rules of now is not told.
      await new Promise(setImmediate);
      if (listener.readmission?.rules() !== listener.rules) continue;
      const now = listed(listener.entrance.within(reach).caller);
      if (now === listener.listed) continue;
      listener.listed = now;
      listener.tell();
    }
  }

  async #readmit(listener: Known, recheck: boolean): Promise<void> {
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

interface LookOptions {
  /** What can be reached at the address now. */
  readonly reach: Reach | undefined;
  readonly recheck: boolean;
}
