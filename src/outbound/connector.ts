import { lookup as resolveName } from "node:dns";
import { isIP, type LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { OutboundError } from "./outbound-error.ts";
import { screenAddress, screenLookup } from "./screen-address.ts";

/** Options of a connector. */
export interface ConnectorOptions {
  readonly allowPrivate: boolean;
  readonly connectTimeoutMs: number;
  readonly lookup?: LookupFunction | undefined;
  /** Called for every refused host, with the reason. */
  readonly onForbidden?: (host: string, reason: string) => void;
}

/** Opens every connection of a client and knows which are open. */
export interface Connector {
  readonly connect: buildConnector.connector;
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * Screens addresses when a connection is opened: names after they are resolved, addresses as they are. So
 * no redirect, pool or second DNS answer gets around the check.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const sockets = new Set<Socket>();
  const { allowPrivate, connectTimeoutMs, lookup = resolveName as LookupFunction } = options;
  const refuse = (host: string, reason: string): OutboundError => {
    options.onForbidden?.(host, reason);
    const leads = isIP(host) === 0 ? "leads to" : "is";
    return new OutboundError(
      "address-forbidden",
      `The host ${host} ${leads} ${reason}. Only public addresses are called.`,
    );
  };
  const open = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: allowPrivate ? lookup : screenLookup(lookup, refuse),
  });

  const connect: buildConnector.connector = (target, callback) => {
    const { hostname } = target;
    const reason = !allowPrivate && isIP(hostname) !== 0 ? screenAddress(hostname) : undefined;
    if (reason !== undefined) {
      // Asynchronous, because the pool is still inside its own call.
      queueMicrotask(() => callback(refuse(hostname, reason), null));
      return;
    }
    const socket: unknown = open(target, callback);
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  return { connect, sockets };
}
