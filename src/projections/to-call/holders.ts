import { CallError, type Identity } from "../../core/index.ts";
import type { Connection } from "../../protocol/index.ts";

/** One connection, and the identity that it counts for. */
interface Held {
  readonly connection: Connection;
  holder: Identity;
  /** True once it, or one of its requests, has brought a good token. */
  isProven: boolean;
  /** True once operations were offered on it, for which it may stay idle. */
  hasOffer: boolean;
  lastCall: number;
}

/** Limits of connections. */
interface HolderOptions {
  readonly maxConnectionsOf: (identity: Identity) => number;
  /** Time for which a connection without a token may be idle. */
  readonly idleMs: number;
}

const IDLE =
  "This connection has no token, and nothing ran on it. Connect again when there is something to do.";

/**
 * Counts the connections of each identity. A connection without a token counts as anonymous until a request brings one.
 * Idle connections without a token give way, so that callers with a token are not kept out.
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

  /** A request brought a good token. The connection counts for that caller from now on, if it may have one more. */
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

  /** The refusal of one more connection; the one that has been idle for longest is closed if that makes room. */
  refusalOf(identity: Identity): CallError | undefined {
    const most = this.#options.maxConnectionsOf(identity);
    if (this.#countOf(identity) < most) return undefined;
    let idlest: Held | undefined;
    for (const held of this.#held.values()) {
      const isCandidate = held.holder.id === identity.id && isSilent(held);
      if (isCandidate && held.lastCall < (idlest?.lastCall ?? Number.POSITIVE_INFINITY)) idlest = held;
    }
    if (!idlest) return tooMany(identity, most);
    closeIdle(idlest);
    return undefined;
  }

  /** Closes connections without a token that have been idle for too long. */
  closeIdle(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const held of this.#held.values()) if (isSilent(held) && held.lastCall <= before) closeIdle(held);
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

function closeIdle({ connection }: Held): void {
  connection.close({ code: "leaving", message: IDLE });
}

function tooMany({ id }: Identity, most: number): CallError {
  return new CallError(
    "RATE_LIMITED",
    `${JSON.stringify(id)} has ${most} connections, which is the most. Close one of them first.`,
  );
}
