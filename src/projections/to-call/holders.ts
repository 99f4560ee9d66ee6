import { CallError, type Identity } from "../../core/index.ts";
import type { Connection } from "../../protocol/index.ts";

/** One connection, and whose it counts as. */
interface Held {
  readonly connection: Connection;
  holder: Identity;
  /** A good token came with it, or with one of its requests. */
  isProven: boolean;
  /** Operations were offered on it, which it is there for. */
  hasOffer: boolean;
  lastCall: number;
}

/** What is asked about limits. */
interface HolderOptions {
  readonly maxConnectionsOf: (identity: Identity) => number;
  /** How long a connection without a token may do nothing. */
  readonly idleMs: number;
}

const IDLE =
  "This connection has no token, and nothing ran on it. Connect again when there is something to do.";

/**
 * Whose the connections are. One without a token is counted with all others of the kind until a request brings one; then
 * it counts as that caller's. What has no token and does nothing gives way, so that callers with a token are not kept out.
 */
export class Holders {
  readonly #options: HolderOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: HolderOptions) {
    this.#options = options;
  }

  /** Counts a connection from now on. */
  add(
    id: string,
    connection: Connection,
    opener: { readonly identity: Identity; readonly token?: unknown },
  ): void {
    const isProven = opener.token !== undefined;
    const lastCall = performance.now();
    this.#held.set(id, { connection, holder: opener.identity, isProven, hasOffer: false, lastCall });
  }

  remove(id: string): void {
    this.#held.delete(id);
  }

  /** A request came in on a connection. */
  called(id: string): void {
    const held = this.#held.get(id);
    if (held) held.lastCall = performance.now();
  }

  /** A request brought a good token. The connection counts as that caller's where it may have one more. */
  proven(id: string, identity: Identity): void {
    const held = this.#held.get(id);
    if (!held || held.isProven) return;
    held.isProven = true;
    if (this.#countOf(identity) < this.#options.maxConnectionsOf(identity)) held.holder = identity;
  }

  offered(id: string): void {
    const held = this.#held.get(id);
    if (held) held.hasOffer = true;
  }

  /** Why someone may not have one more; the one that has done nothing for longest goes where that makes room. */
  refusalOf(identity: Identity): CallError | undefined {
    const most = this.#options.maxConnectionsOf(identity);
    if (this.#countOf(identity) < most) return undefined;
    let idlest: Held | undefined;
    for (const held of this.#held.values()) {
      const isCandidate = held.holder.id === identity.id && isSilent(held);
      if (isCandidate && held.lastCall < (idlest?.lastCall ?? Number.POSITIVE_INFINITY)) idlest = held;
    }
    if (!idlest) return tooMany(identity, most);
    cut(idlest);
    return undefined;
  }

  /** Ends connections without a token that have done nothing for too long. */
  closeIdle(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const held of this.#held.values()) if (isSilent(held) && held.lastCall <= before) cut(held);
  }

  #countOf({ id }: Identity): number {
    let count = 0;
    for (const { holder } of this.#held.values()) if (holder.id === id) count++;
    return count;
  }
}

function isSilent({ connection, isProven, hasOffer }: Held): boolean {
  const { incoming, outgoing } = connection.pending();
  return !isProven && !hasOffer && incoming === 0 && outgoing === 0;
}

function cut({ connection }: Held): void {
  connection.close({ code: "leaving", message: IDLE });
}

function tooMany({ id }: Identity, most: number): CallError {
  return new CallError(
    "RATE_LIMITED",
    `${JSON.stringify(id)} has ${most} connections, which is the most. Close one of them first.`,
  );
}
