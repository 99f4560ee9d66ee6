import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { type Log, SILENT_LOG } from "../core/index.ts";
import { createConnector } from "./connector.ts";
import type { Limits } from "./exchange.ts";
import { exchange } from "./exchange.ts";
import type { Incoming } from "./incoming.ts";
import { decode, type OutboundResponse, toResponse } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";
import { type Outgoing, toOutgoing } from "./outgoing.ts";
import { perform } from "./redirect.ts";
import { type Delay, type OutboundRequest, send } from "./send.ts";

/** Options of an outbound client. */
export interface OutboundOptions {
  /** Also call loopback, private and reserved addresses; false by default. */
  readonly allowPrivate?: boolean;
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
  /** Waits between attempts of `send`. */
  readonly delay?: Delay;
  /** Jitter of the waits between attempts; Math.random by default. */
  readonly random?: () => number;
}

/** Options of `fetch`, as the platform's. */
export type OutboundInit = RequestInit;

/** Open resources of a client. */
export interface OutboundStats {
  readonly sockets: number;
}

/** The HTTP client of the gateway. */
export interface Outbound {
  /** Like the platform's fetch, for libraries that take one. Read the body of the response or cancel it. */
  fetch(url: string | URL, init?: OutboundInit): Promise<Response>;
  /** Sends a request with retries. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  stats(): OutboundStats;
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
    onForbidden: (host, reason) => log.warn("An outbound request was refused", { host, reason }),
  });
  // An exchange has its own timeouts: those of the dispatcher would also end event streams that are merely quiet.
  const dispatcher = new Agent({
    connect,
    connections: options.connections ?? 256,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const limits: Limits = {
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

  const ports = { exchange: exchangeDecoded, maxRedirects: options.maxRedirects ?? 3 };
  const sendPorts = {
    perform: (request: Outgoing) => perform(request, "follow", ports),
    tries: options.tries ?? 3,
    delay: options.delay ?? wait,
    random: options.random ?? Math.random,
    log,
  };

  return {
    async fetch(url, init = {}) {
      const request = await toOutgoing({ ...init, url });
      return toResponse(await perform(request, init.redirect ?? "follow", ports), request.url.origin);
    },
    send: (request) => send(request, sendPorts),
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
