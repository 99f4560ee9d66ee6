import {
  CallError,
  type Entrance,
  type GatewayDispatch,
  type Identity,
  type Log,
  SILENT_LOG,
} from "../../core/index.ts";
import {
  type Connection,
  type ConnectionLimits,
  createConnection,
  type Transport,
} from "../../protocol/index.ts";
import { UnfinishedEnvelopes } from "../../protocol/transports/index.ts";
import { Holders } from "./holders.ts";
import { LastingRequests, needsToken, serveCalls } from "./serve-calls.ts";

/** Options of the projection. */
export interface CallProjectionOptions {
  /** The gateway in force; a reload replaces it while connections last. */
  readonly gateway: () => GatewayDispatch;
  /** False: callers without a token are refused. */
  readonly anonymous: () => boolean;
  /** A unique name of this node; calls that have passed it are refused. */
  readonly nodeId: string;
  readonly log?: Log;
  readonly limits?: Partial<ConnectionLimits>;
  /** Most connections; more are refused. */
  readonly maxConnections?: number;
  /** Most connections of one identity; all of them if it is not set. */
  readonly maxConnectionsOf?: (identity: Identity) => number;
  /** Most bytes of unfinished envelopes on all connections together, 64 MiB by default. */
  readonly maxUnfinishedBytes?: number;
  /** Time after which a recheck ends an idle connection without a token. */
  readonly idleMs?: number;
  /** Told of each new connection. */
  readonly onConnected?: (peer: ConnectedPeer) => void;
  /** Told when the token that offered operations is no longer accepted. */
  readonly onOfferRevoked?: (connection: string) => void;
}

/** The other end of a connection. */
export interface ConnectedPeer {
  /** Names the connection: calls that come in on it carry it, and a source may be visible to it alone. */
  readonly id: string;
  /** The identity that opened it. */
  readonly identity: Identity;
  readonly connection: Connection;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Number of calls that have come in on it. */
  readonly calls: () => number;
}

/** The caller that opens a connection. */
export interface Opener {
  readonly identity: Identity;
  /** Presented token; undefined for anonymous connections. */
  readonly token: string | undefined;
}

/** The gateway on the call protocol. */
export interface CallProjection {
  /** The refusal of another connection of an authenticated caller; undefined where there is room, or room was made. */
  noRoomFor(identity: Identity): CallError | undefined;
  readonly anonymous: () => boolean;
  readonly gateway: () => GatewayDispatch;
  /** Size of the largest envelope; the limit of the protocol if it is not set. */
  readonly maxReceivedBytes: number | undefined;
  /** Unfinished envelopes of all connections. */
  readonly unfinished: UnfinishedEnvelopes;
  /** Serves the other end until one side closes. */
  accept(transport: Transport, opener: Opener): ConnectedPeer;
  /** All open connections. */
  peers(): readonly ConnectedPeer[];
  /**
   * Ends connections, streams and offers of callers who would not be authenticated again with the same rights, and idle
   * connections without a token.
   */
  recheck(): Promise<void>;
  /** Refuses new calls, lets running ones finish for so long, then closes. Streams end at once. */
  close(graceMs: number): Promise<void>;
}

const LOOK_AGAIN_MS = 20;
/** A busy client calls again within this time; a client with a token may be idle for any time. */
const IDLE_MS = 60_000;
const ASKS_FOR_TOKEN = "This gateway asks for a token now. Connect again with one.";
const TOKEN_UNKNOWN = "The token of this connection is no longer known.";

/** Shows the gateway to peers, programs and pages that speak the call protocol. */
export function createCallProjection(options: CallProjectionOptions): CallProjection {
  const { gateway, anonymous, nodeId, log = SILENT_LOG, limits = {}, maxConnections = 2_000 } = options;
  const peers = new Map<string, ConnectedPeer>();
  const lasting = new Map<string, LastingRequests>();
  const { maxConnectionsOf = () => maxConnections, idleMs = IDLE_MS } = options;
  const holders = new Holders({ maxConnectionsOf, idleMs });
  const maxReceivedBytes = limits.maxReceivedBytes ?? limits.maxEnvelopeBytes;
  let isLeaving = false;

  function noRoomFor(identity: Identity): CallError | undefined {
    if (isLeaving || peers.size >= maxConnections) return noRoom();
    return holders.refusalOf(identity);
  }

  function accept(transport: Transport, { identity, token }: Opener): ConnectedPeer {
    const id = crypto.randomUUID();
    const own = new LastingRequests();
    let calls = 0;
    const service = serveCalls({
      onCall: () => {
        calls++;
        holders.called(id);
      },
      onProven: (proven) => holders.proven(id, proven),
      onOffered: () => holders.offered(id),
      gateway,
      anonymous,
      nodeId,
      connection: id,
      token,
      isLeaving: () => isLeaving,
      lasting: own,
      onOfferRevoked: () => options.onOfferRevoked?.(id),
    });
    const connection = createConnection({ transport, service, limits, log });
    const peer = { id, identity, connection, since: Date.now(), calls: () => calls };
    peers.set(id, peer);
    holders.add(id, connection, { identity, token });
    lasting.set(id, own);
    // A byte stream has no token, even where one is needed; its requests bring theirs.
    if (token !== undefined || anonymous()) {
      const message = token === undefined ? ASKS_FOR_TOKEN : TOKEN_UNKNOWN;
      own.add({
        token,
        identity: { id: identity.id, scopes: [] },
        end: () => connection.close({ message }),
      });
    }
    void connection.closed.then(({ code, message }) => {
      peers.delete(id);
      holders.remove(id);
      lasting.delete(id);
      if (code === "protocol" || code === "flooded" || code === "stalled") {
        log.warn("A connection was closed", { connection: id, identity: identity.id, code, message });
      }
    });
    options.onConnected?.(peer);
    return peer;
  }

  async function close(graceMs: number): Promise<void> {
    isLeaving = true;
    const end = performance.now() + graceMs;
    for (leaveIdle(); peers.size > 0 && performance.now() < end; leaveIdle()) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    for (const { connection } of peers.values()) leave(connection);
  }

  async function recheck(): Promise<void> {
    holders.closeIdle();
    await Promise.all([...lasting.values()].map((each) => each.recheck(enter)));
  }

  async function enter(token: string | undefined): Promise<Entrance> {
    if (token === undefined && !anonymous()) throw needsToken();
    return gateway().enter(token);
  }

  /** Closes connections on which nothing runs but streams. */
  function leaveIdle(): void {
    for (const { connection } of peers.values()) {
      const { incoming, incomingStreams } = connection.pending();
      if (incoming === incomingStreams) leave(connection);
    }
  }

  return {
    noRoomFor,
    anonymous,
    gateway,
    maxReceivedBytes,
    unfinished: new UnfinishedEnvelopes(options.maxUnfinishedBytes, maxReceivedBytes),
    accept,
    peers: () => [...peers.values()],
    recheck,
    close,
  };
}

function noRoom(): CallError {
  return new CallError("UNAVAILABLE", "This gateway takes no more connections. Try again later.");
}

function leave(connection: Connection): void {
  connection.close({ code: "leaving", message: "This gateway is stopping. Connect again in a moment." });
}
