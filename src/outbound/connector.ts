import { lookup as resolveName } from "node:dns";
import { isIP, type LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { OutboundError } from "./outbound-error.ts";
import { screenAddress } from "./screen-address.ts";
import { screenLookup } from "./screen-lookup.ts";

/** Which connections may be opened, and how. */
export interface ConnectorOptions {
  readonly allowPrivate: boolean;
  readonly connectTimeoutMs: number;
  readonly lookup?: LookupFunction | undefined;
  /** Told about every host that was refused, with the reason. */
  readonly onForbidden?: (host: string, reason: string) => void;
}

/** Opens every connection of a client and knows which are open. */
export interface Connector {
  readonly connect: buildConnector.connector;
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * Screens addresses where connections are opened: names after they are resolved and addresses as they are, so that
 * no redirect, no pool and no second answer of a name service gets around it.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const sockets = new Set<Socket>();
  const { allowPrivate, connectTimeoutMs, lookup = resolveName as LookupFunction } = options;
  const refuse = (host: string, reason: string): OutboundError => {
    options.onForbidden?.(host, reason);
    const leads = isIP(host) === 0 ? "leads to" : "is";
    return new OutboundError(
      "address-forbidden",
      `The host ${host} ${leads} ${reason}, and only public ones are called.`,
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
      // Not at once: the pool is still in the middle of asking.
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
