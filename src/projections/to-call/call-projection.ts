import { CallError, type GatewayDispatch, type Identity, type Log, SILENT_LOG } from "../../core/index.ts";
import {
  type Connection,
  type ConnectionLimits,
  createConnection,
  type Transport,
} from "../../protocol/index.ts";
import { serveCalls } from "./serve-calls.ts";

/** What the projection is made of. */
export interface CallProjectionOptions {
  /** The entrance of the moment; a reload replaces it while connections last. */
  readonly gateway: () => GatewayDispatch;
  /** False: whoever presents no token is turned away. */
  readonly anonymous: () => boolean;
  /** A name for this node that no other has; calls that have passed it are not taken again. */
  readonly nodeId: string;
  readonly log?: Log;
  readonly limits?: Partial<ConnectionLimits>;
  /** How many connections there may be; more are refused. */
  readonly maxConnections?: number;
  /** Told of each connection when it is there; the connection tells when it ends. */
  readonly onConnected?: (peer: ConnectedPeer) => void;
}

/** Someone at the other end of a connection. */
export interface ConnectedPeer {
  /** Names the connection: calls that come in on it carry it, and a source may be visible to it alone. */
  readonly id: string;
  /** Who opened it. */
  readonly identity: Identity;
  readonly connection: Connection;
  /** When it was opened, in milliseconds since the epoch. */
  readonly since: number;
  /** How many calls have come in on it. */
  readonly calls: () => number;
}

/** Who opens a connection. */
export interface Opener {
  readonly identity: Identity;
  /** What it presented; undefined for nobody in particular. */
  readonly token: string | undefined;
}

/** The gateway on the call protocol. */
export interface CallProjection {
  /** Whether another connection may come; its opener has been let in by then. */
  readonly hasRoom: boolean;
  readonly anonymous: () => boolean;
  readonly gateway: () => GatewayDispatch;
  /** The largest envelope that is taken; what the protocol allows if it is not set. */
  readonly maxReceivedBytes: number | undefined;
  /** Serves whoever is at the other end, until one side closes. */
  accept(transport: Transport, opener: Opener): ConnectedPeer;
  /** The connections of the moment. */
  peers(): readonly ConnectedPeer[];
  /** Closes those whose token nobody is known by any more: their streams and offers would go on without one. */
  recheck(): Promise<void>;
  /** Takes no new call, lets running ones finish for so long, then closes. Streams end at once. */
  close(graceMs: number): Promise<void>;
}

const LOOK_AGAIN_MS = 20;

/** Shows the gateway to peers, programs and pages that speak the call protocol. */
export function createCallProjection(options: CallProjectionOptions): CallProjection {
  const { gateway, anonymous, nodeId, log = SILENT_LOG, limits = {}, maxConnections = 2_000 } = options;
  const peers = new Map<string, ConnectedPeer>();
  const tokens = new WeakMap<ConnectedPeer, string>();
  let isLeaving = false;

  function accept(transport: Transport, { identity, token }: Opener): ConnectedPeer {
    const id = crypto.randomUUID();
    let calls = 0;
    const service = serveCalls({
      onCall: () => {
        calls++;
      },
      gateway,
      anonymous,
      nodeId,
      connection: id,
      token,
      isLeaving: () => isLeaving,
    });
    const connection = createConnection({ transport, service, limits, log });
    const peer = { id, identity, connection, since: Date.now(), calls: () => calls };
    peers.set(id, peer);
    if (token !== undefined) tokens.set(peer, token);
    void connection.closed.then(({ code, message }) => {
      peers.delete(id);
      if (code === "protocol" || code === "stalled") {
        log.warn("A connection was closed", { connection: id, identity: identity.id, code, message });
      }
    });
    options.onConnected?.(peer);
    return peer;
  }

  async function close(graceMs: number): Promise<void> {
    isLeaving = true;
    const end = Date.now() + graceMs;
    for (leaveIdle(); peers.size > 0 && Date.now() < end; leaveIdle()) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    for (const { connection } of peers.values()) leave(connection);
  }

  async function recheck(): Promise<void> {
    await Promise.all([...peers.values()].map(recheckOne));
  }

  async function recheckOne(peer: ConnectedPeer): Promise<void> {
    const token = tokens.get(peer);
    if (token === undefined) return;
    const error = await gateway()
      .enter(token)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    // Who cannot be asked at the moment has not said no.
    if (!(error instanceof CallError) || error.code !== "FORBIDDEN") return;
    peer.connection.close({ message: "The token of this connection is not known any more." });
  }

  /** Closes connections on which nothing runs that ends by itself. */
  function leaveIdle(): void {
    for (const { connection } of peers.values()) {
      const { incoming, incomingStreams } = connection.pending();
      if (incoming === incomingStreams) leave(connection);
    }
  }

  return {
    get hasRoom() {
      return !isLeaving && peers.size < maxConnections;
    },
    anonymous,
    gateway,
    maxReceivedBytes: limits.maxReceivedBytes ?? limits.maxEnvelopeBytes,
    accept,
    peers: () => [...peers.values()],
    recheck,
    close,
  };
}

function leave(connection: Connection): void {
  connection.close({ code: "leaving", message: "This gateway is stopping. Connect again in a moment." });
}
