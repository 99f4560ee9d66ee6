import type { UnknownRecord } from "../../core/index.ts";
import type { Session } from "./session-ids.ts";

/** A message of a session that belongs to a call of another replica, or the end of the session. */
type SessionNews = { readonly session: string } & (
  | { readonly message: UnknownRecord }
  | { readonly ended: true }
);

/**
 * Port: carries news of sessions to all other replicas. What one replica publishes, every other one is told once, in any
 * order, or never if it cannot be reached: a cancel that is lost leaves a call to its deadline.
 */
export interface SessionChannel {
  publish(news: SessionNews): void;
  subscribe(tell: (news: SessionNews) => void): void;
}

/** The channel of a gateway without other replicas. */
const NO_REPLICAS: SessionChannel = { publish: () => {}, subscribe: () => {} };

/** Something of a session that runs or lasts in this process. */
interface Part {
  /** Takes a message of the client; false if it is not about this part. */
  deliver(message: UnknownRecord): boolean;
  /** Ends it, because the session has ended or a later one takes its place. */
  close(): void | Promise<void>;
  /** It carries what belongs to no call. A session has one such stream: the same must not be told twice. */
  readonly listens?: true;
}

/** Most ended sessions that are remembered; beyond it the one that ended first is forgotten. */
const MAX_ENDED = 10_000;

/**
 * The sessions that this process knows: their running requests, and those that were ended early. Sessions in which nothing
 * runs take no memory. It outlives the endpoints of one config, so that calls can be cancelled after a reload.
 */
export class Sessions {
  readonly #parts = new Map<string, Set<Part>>();
  readonly #questions = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #channel: SessionChannel;

  constructor(channel: SessionChannel = NO_REPLICAS) {
    this.#channel = channel;
    channel.subscribe((news) => {
      if ("message" in news) this.#deliver(news.session, news.message);
      else this.#end(news.session);
    });
  }

  /** Keeps something that runs in a session until the returned function is called. */
  add({ number }: Session, part: Part): () => void {
    const parts = this.#parts.get(number) ?? new Set();
    if (part.listens) for (const other of parts) if (other.listens) void other.close();
    this.#parts.set(number, parts.add(part));
    return () => {
      parts.delete(part);
      if (parts.size === 0 && this.#parts.get(number) === parts) this.#parts.delete(number);
    };
  }

  /** Hands a message of a client to what it is about; false if that does not run in this process. */
  deliver({ number }: Session, message: UnknownRecord): boolean {
    return this.#deliver(number, message);
  }

  /** Hands a message of a client to the other replicas. */
  forward({ number }: Session, message: UnknownRecord): void {
    this.#channel.publish({ session: number, message });
  }

  /** Ends a session before its time, and all that runs in it. */
  end({ number }: Session): void {
    this.#channel.publish({ session: number, ended: true });
    this.#end(number);
  }

  hasEnded({ number }: Session): boolean {
    return this.#ended.has(number);
  }

  /** Counts a question that waits for its answer, until the returned function is called. Throws where a principal has too many. */
  ask({ principal }: Session, most: number): () => void {
    const open = this.#questions.get(principal) ?? 0;
    if (open >= most)
      throw new Error(`${open} questions wait for an answer already. Answer or cancel one, then call again.`);
    this.#questions.set(principal, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#questions.get(principal) ?? 1) - 1;
      if (left === 0) this.#questions.delete(principal);
      else this.#questions.set(principal, left);
    };
  }

  #deliver(session: string, message: UnknownRecord): boolean {
    for (const part of this.#parts.get(session) ?? []) if (part.deliver(message)) return true;
    return false;
  }

  #end(session: string): void {
    const [first] = this.#ended;
    if (first !== undefined && this.#ended.size >= MAX_ENDED) this.#ended.delete(first);
    this.#ended.add(session);
    for (const part of this.#parts.get(session) ?? []) void part.close();
  }
}
