import { type LookupAddress, lookup as resolveName } from "node:dns";
import { BlockList, isIP, type LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { OutboundError } from "./outbound-error.ts";

/** Certificates of connections, as PEM. */
export interface OutboundTls {
  /** Trusted instead of those of the system. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must have. */
  readonly serverName?: string;
}

interface ConnectorOptions {
  readonly tls?: OutboundTls | undefined;
  readonly allowPrivate: boolean;
  readonly connectTimeoutMs: number;
  readonly lookup?: LookupFunction | undefined;
  /** Called for every refused host, with the reason. */
  readonly onForbidden?: (host: string, reason: string) => void;
}

/**
 * Opens the connections of a client and knows which are open. It screens addresses when a connection is opened: names
 * after they are resolved, addresses as they are. So no redirect, pool or second DNS answer gets around the check.
 */
export function createConnector({
  allowPrivate,
  connectTimeoutMs,
  lookup = resolveName as LookupFunction,
  onForbidden,
  tls: { serverName, ...certificates } = {},
}: ConnectorOptions) {
  const sockets = new Set<Socket>();
  const refuse = (host: string, reason: string): OutboundError => {
    onForbidden?.(host, reason);
    const leads = isIP(host) === 0 ? "leads to" : "is";
    return new OutboundError(
      "address-forbidden",
      `The host ${host} ${leads} ${reason}. Only public addresses are called.`,
    );
  };
  const open = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    ...certificates,
    ...(serverName !== undefined && { servername: serverName }),
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

/** IPv4 that is not the public internet, by the IANA registry of special-purpose addresses (RFC 6890). */
const SPECIAL_V4: readonly (readonly [network: string, prefix: number, reason: string])[] = [
  ["0.0.0.0", 8, "an unspecified address"],
  ["10.0.0.0", 8, "a private address"],
  ["100.64.0.0", 10, "a private address"],
  ["127.0.0.0", 8, "a loopback address"],
  ["169.254.0.0", 16, "a link-local address"],
  ["172.16.0.0", 12, "a private address"],
  ["192.0.0.0", 24, "a reserved address"],
  ["192.0.2.0", 24, "a reserved address"],
  ["192.88.99.0", 24, "a reserved address"],
  ["192.168.0.0", 16, "a private address"],
  ["198.18.0.0", 15, "a reserved address"],
  ["198.51.100.0", 24, "a reserved address"],
  ["203.0.113.0", 24, "a reserved address"],
  ["224.0.0.0", 4, "a multicast address"],
  ["240.0.0.0", 4, "a reserved address"],
];

const SPECIAL_V6: readonly (readonly [network: string, prefix: number, reason: string])[] = [
  ["::", 128, "an unspecified address"],
  ["::1", 128, "a loopback address"],
  ["2001::", 23, "a reserved address"],
  ["2001:db8::", 32, "a reserved address"],
  // 6to4 carries an IPv4 address of the sender's choice.
  ["2002::", 16, "a reserved address"],
  ["3fff::", 20, "a reserved address"],
  ["fc00::", 7, "a private address"],
  ["fe80::", 10, "a link-local address"],
  ["ff00::", 8, "a multicast address"],
];

/** NAT64 prefix (RFC 6052); the last 32 bits are the IPv4 address. */
const NAT64 = "64:ff9b::";

/** Node's BlockList applies IPv4 rules to IPv4-mapped IPv6 (`::ffff:10.0.0.1`). */
const FORBIDDEN = listsByReason();
const PUBLIC_V6 = publicV6();

/**
 * The reason not to call an IP address; undefined for a public address. Text that is
 * not an IP address gets a reason, too.
 *
 *     screenAddress("169.254.169.254") // "a link-local address"
 */
export function screenAddress(ip: string): string | undefined {
  const version = isIP(ip);
  if (version === 0) return "not an IP address";
  const family = version === 4 ? "ipv4" : "ipv6";
  for (const [reason, list] of FORBIDDEN) {
    if (list.check(ip, family)) return reason;
  }
  return version === 4 || PUBLIC_V6.check(ip, family) ? undefined : "a reserved address";
}

function listsByReason(): ReadonlyMap<string, BlockList> {
  const lists = new Map<string, BlockList>();
  const listOf = (reason: string): BlockList => {
    const list = lists.get(reason) ?? new BlockList();
    lists.set(reason, list);
    return list;
  };
  for (const [network, prefix, reason] of SPECIAL_V6) listOf(reason).addSubnet(network, prefix, "ipv6");
  for (const [network, prefix, reason] of SPECIAL_V4) {
    listOf(reason).addSubnet(network, prefix, "ipv4");
    listOf(reason).addSubnet(`${NAT64}${network}`, 96 + prefix, "ipv6");
  }
  return lists;
}

function publicV6(): BlockList {
  const list = new BlockList();
  list.addSubnet("2000::", 3, "ipv6");
  list.addSubnet(NAT64, 96, "ipv6");
  return list;
}

/**
 * A DNS lookup that returns public addresses only. The connection uses exactly these addresses, so a second DNS
 * answer cannot slip in between.
 */
export function screenLookup(
  lookup: LookupFunction,
  refuse: (host: string, reason: string) => Error,
): LookupFunction {
  return (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, "");
      const addresses: readonly LookupAddress[] =
        typeof answer === "string" ? [{ address: answer, family: isIP(answer) }] : answer;
      const reasons = addresses.map(({ address }) => screenAddress(address));
      const allowed = addresses.filter((_, index) => reasons[index] === undefined);
      const [first] = allowed;
      if (first === undefined) callback(refuse(host, reasons[0] ?? "no address"), "");
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
}
