import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { type Log, SILENT_LOG } from "../core/index.ts";
import { createConnector, type OutboundTls } from "./connector.ts";
import { type ExchangeLimits, exchange } from "./exchange.ts";
import {
  decode,
  discard,
  firstOf,
  type Incoming,
  type IncomingHead,
  type OutboundResponse,
  toResponse,
} from "./incoming.ts";
import { havingRun, OutboundError } from "./outbound-error.ts";
import { type Outgoing, toOutgoing } from "./outgoing.ts";
import { Pauses } from "./pauses.ts";
import { type Delay, type OutboundRequest, send } from "./send.ts";

/** Options of an outbound client. */
export interface OutboundOptions {
  /** Also call loopback, private and reserved addresses; false by default. */
  readonly allowPrivate?: boolean;
  /** Certificates for https. */
  readonly tls?: OutboundTls | undefined;
  /** Connections to one origin at the same time, 256 by default. A stream of events holds one as long as it lasts. */
  readonly connections?: number;
  /** 10 s by default. */
  readonly connectTimeoutMs?: number;
  /** Time from the request until the response begins, 300 s by default. */
  readonly headersTimeoutMs?: number;
  /** The longest silence within a response, 300 s by default; event streams may be silent for ever. */
  readonly bodyTimeoutMs?: number;
  /** The largest response, 16 MiB by default; event streams have no limit. */
  readonly maxResponseBytes?: number;
  /** 3 by default. */
  readonly maxRedirects?: number;
  /** Attempts per request of `send`, 3 by default. */
  readonly tries?: number;
  readonly log?: Log;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: LookupFunction;
  /** Waits between attempts. */
  readonly delay?: Delay;
  /** Milliseconds that only ever grow, by which services are left alone that asked for it. */
  readonly now?: () => number;
  /** Jitter of the waits between attempts; Math.random by default. */
  readonly random?: () => number;
}

/** Options of `fetch`, as the platform's. */
interface OutboundInit extends RequestInit {
  /** The credential that the request carries, where that is not its Authorization header alone. */
  readonly account?: string | undefined;
}

/** The HTTP client of the gateway. */
export interface Outbound {
  /**
   * Like the platform's fetch, for libraries that take one. Read the body of the response or cancel it. Fails at once, as
   * rate-limited, while the service has asked not to be called.
   */
  fetch(url: string | URL, init?: OutboundInit): Promise<Response>;
  /** Sends a request with retries; waits where the service has asked for that and the deadline allows it. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Waits as `send` does between attempts. */
  readonly delay: Delay;
  /** Open connections. */
  stats(): { readonly sockets: number };
  /** Ends running requests at once; later calls fail. */
  close(): Promise<void>;
}

/**
 * Creates the client that every adapter uses. Close it.
 *
 *     const outbound = createOutbound({ allowPrivate: false, log });
 *     const transport = new StreamableHTTPClientTransport(url, { fetch: outbound.fetch });
 */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const { maxResponseBytes = 16 * 1024 * 1024, log = SILENT_LOG } = options;
  const { connect, sockets } = createConnector({
    allowPrivate: options.allowPrivate ?? false,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    lookup: options.lookup,
    tls: options.tls,
    onForbidden: (host, reason) => log.warn("An outbound request was refused", { host, reason }),
  });
  // An exchange has its own timeouts: those of the dispatcher would also end event streams that are merely quiet.
  const dispatcher = new Agent({
    connect,
    connections: options.connections ?? 256,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const limits: ExchangeLimits = {
    headersTimeoutMs: options.headersTimeoutMs ?? 300_000,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 300_000,
    maxResponseBytes,
  };
  let closed = false;

  async function exchangeDecoded(request: Outgoing): Promise<Incoming> {
    const { origin } = request.url;
    if (closed) throw new OutboundError("refused", `${origin} was not called: this client is closed.`);
    return decode(await exchange(request, { dispatcher, limits }), { origin, maxResponseBytes });
  }

  const pauses = new Pauses(options.now);
  const ports = { exchange: exchangeDecoded, maxRedirects: options.maxRedirects ?? 3 };
  async function performInTime(
    request: Outgoing,
    redirect: Parameters<typeof perform>[1],
  ): Promise<Incoming> {
    pauses.refuse(request);
    const incoming = await perform(request, redirect, ports);
    pauses.note(request, incoming);
    return incoming;
  }

  const sendPorts = {
    perform: (request: Outgoing) => performInTime(request, "follow"),
    tries: options.tries ?? 3,
    delay: options.delay ?? wait,
    random: options.random ?? Math.random,
    log,
  };

  return {
    async fetch(url, init = {}) {
      const request = await toOutgoing({ ...init, url });
      return toResponse(await performInTime(request, init.redirect ?? "follow"), request.url.origin);
    },
    send: (request) => send(request, sendPorts),
    delay: sendPorts.delay,
    stats: () => ({ sockets: sockets.size }),
    async close() {
      if (closed) return;
      closed = true;
      await dispatcher.destroy(Object.assign(new Error("The client was closed"), { code: "CLIENT_CLOSED" }));
      // The dispatcher does not know connections that are still being opened.
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal ? { signal } : {});
}

interface RedirectOptions {
  readonly exchange: (request: Outgoing) => Promise<Incoming>;
  readonly maxRedirects: number;
}

/** Sends a request and follows its redirects. */
export async function perform(
  request: Outgoing,
  mode: NonNullable<RequestInit["redirect"]>,
  { exchange, maxRedirects }: RedirectOptions,
): Promise<Incoming> {
  let current = request;
  let hasRun = false;
  for (let followed = 0; ; followed++) {
    const incoming = await exchange(current).catch((error: unknown) => {
      throw hasRun && error instanceof OutboundError ? havingRun(error) : error;
    });
    if (mode === "manual") return incoming;
    let next: Outgoing | undefined;
    try {
      next = decideRedirect(current, incoming);
      if (next === undefined) return incoming;
      if (mode === "error") throw refusal(current.url, "redirects, and the caller does not want to follow");
      if (followed === maxRedirects) throw refusal(current.url, `redirects more than ${maxRedirects} times`);
    } catch (error) {
      await discard(incoming);
      throw error;
    }
    await discard(incoming);
    // A redirect from POST to GET means that the POST was processed.
    hasRun ||= next.method !== current.method;
    current = next;
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const OF_THE_BODY: readonly string[] = [
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
];

/**
 * The request that a response redirects to; undefined if it is not a redirect. It never leaves the origin, so
 * that no header, secret or body goes to another one.
 */
export function decideRedirect(request: Outgoing, { status, headers }: IncomingHead): Outgoing | undefined {
  const location = isRedirect(status) ? firstOf(headers, "location") : undefined;
  if (location === undefined) return undefined;
  const { method, url, body } = request;
  const target = targetOf(location, url);
  if (status === 307 || status === 308) {
    if (body instanceof ReadableStream) throw refusal(url, "asks to send a body again that was a stream");
    return { ...request, url: target };
  }
  if (method === "GET" || method === "HEAD") return { ...request, url: target };
  // A GET to the new address would do nothing, and look like success.
  if (status === 301) throw refusal(url, `has moved, and a ${method} cannot follow it`);
  const kept = request.headers.filter(([name]) => !OF_THE_BODY.includes(name));
  return { ...request, method: "GET", url: target, headers: kept, body: undefined };
}

/** True for a status that redirects to another address. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/** The error of a redirect to another origin; undefined within the same origin. */
export function leavingOrigin(from: URL, to: URL): OutboundError | undefined {
  if (to.origin === from.origin) return undefined;
  // `origin` is "null" for schemes that have none.
  const elsewhere = to.origin === "null" ? `a ${to.protocol} address` : to.origin;
  return refusal(from, `redirects to ${elsewhere}, and redirects are followed within one origin only`);
}

function targetOf(location: string, from: URL): URL {
  const target = URL.parse(location, from.href);
  if (!target) throw refusal(from, "redirects to an invalid URL");
  const leaving = leavingOrigin(from, target);
  if (leaving) throw leaving;
  if (target.username !== "" || target.password !== "") {
    throw refusal(from, "redirects to an address with a user or a password");
  }
  return target;
}

function refusal({ origin }: URL, what: string): OutboundError {
  return new OutboundError("redirect-forbidden", `${origin} ${what}.`, { mayHaveRun: true });
}
