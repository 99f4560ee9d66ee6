import { CallError, isRecord, type Log } from "../core/index.ts";
import { type Connection, createConnection } from "./connection.ts";
import { type OfferedOperation, OfferedService } from "./offered.ts";
import type { CallOptions } from "./outgoing-calls.ts";
import type { CloseReason } from "./ports.ts";
import { connectWebSocket, type WebSocketOptions } from "./web-socket.ts";

const PATH = "/call-protocol";

/** Options of connectPeer. */
export interface ConnectPeerOptions extends WebSocketOptions {
  /** Default timeout of a call, 30 s unless set. Subscriptions have no timeout. */
  readonly deadlineMs?: number;
  /** Receives errors of offered operations that are not CallErrors, which callers never see: `console` will do. */
  readonly log?: Log;
}

/** A gateway at the other end of a connection. */
export interface Peer {
  /** Calls a query or mutation. Rejects with CallErrors. */
  call(operation: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /** Starts a subscription; the first step throws its errors. Leaving the loop ends it. */
  subscribe(
    operation: string,
    input?: unknown,
    options?: CallOptions,
  ): AsyncIterableIterator<unknown, undefined>;
  /**
   * Offers operations of this side, in the place of those that were offered before; they last as long as the
   * connection. Returns the names under which the gateway lists them.
   */
  offer(operations: readonly OfferedOperation[]): Promise<readonly string[]>;
  /** Closes the connection: pending calls fail with UNAVAILABLE. */
  close(): void;
  /** The reason of the end, once it has ended. There is no automatic reconnect: only the caller knows whether to repeat a call. */
  readonly closed: Promise<CloseReason>;
}

/**
 * Connects to a gateway, from Node or from a page.
 *
 *     const peer = await connectPeer("https://tools.example.com", { token });
 *     await peer.call("demo/greet", { name: "Ada" });
 *     for await (const item of peer.subscribe("time/countdown", { from: 3 })) console.log(item);
 *     peer.close();
 */
export async function connectPeer(url: string | URL, options: ConnectPeerOptions = {}): Promise<Peer> {
  const { deadlineMs, log, ...rest } = options;
  const transport = await connectWebSocket(toWebSocketUrl(url), rest);
  const service = new OfferedService(() => connection);
  const limits = deadlineMs === undefined ? {} : { deadlineMs };
  const connection: Connection = createConnection({ transport, service, limits, ...(log && { log }) });
  return {
    call: connection.call,
    subscribe: connection.subscribe,
    offer: (operations) => offer(connection, service, operations),
    close: () => connection.close(),
    closed: connection.closed,
  };
}

async function offer(
  connection: Connection,
  service: OfferedService,
  operations: readonly OfferedOperation[],
): Promise<readonly string[]> {
  const before = service.replace(operations);
  const answer = await connection.call("services/offer", {}).catch((error: unknown) => {
    service.replace(before);
    throw error;
  });
  return isRecord(answer) && Array.isArray(answer.operations) ? answer.operations : [];
}

/** The URL of a gateway means its call protocol endpoint. */
function toWebSocketUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (!url || !/^(?:http|ws)s?:$/.test(url.protocol)) {
    throw new CallError(
      "INVALID_INPUT",
      "The address is not a valid URL. Write it as https://tools.example.com.",
    );
  }
  url.protocol = url.protocol.replace(/^http/, "ws");
  if (url.pathname === "/") url.pathname = PATH;
  url.hash = "";
  return url;
}
