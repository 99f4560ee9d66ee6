import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpServerFactory,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import { type Entrance, isRecord, type Log } from "../../core/index.ts";
import { type LateSseOptions, lateSse } from "./late-sse.ts";

/** The one request that is answered for as long as its client wants. */
const LISTEN = "subscriptions/listen";

/** What an endpoint is made of. */
export interface McpEndpointOptions extends LateSseOptions {
  readonly log: Log;
  /** Those of the endpoint before, if it takes the place of one. */
  readonly listeners?: Listeners;
}

/** Clients that want to be told when the list of tools changes; they outlive the endpoint that they came to. */
export interface Listeners {
  readonly bus: ServerEventBus;
  /** Aborts when they are let go of. */
  readonly ended: AbortSignal;
  /** Lets go of them; running calls go on. */
  end(): void;
}

/** A place for clients to listen, in this process. */
export function createListeners(): Listeners {
  const listening = new AbortController();
  return { bus: new InMemoryServerEventBus(), ended: listening.signal, end: () => listening.abort() };
}

/** MCP over streamable HTTP, every revision on one address, without sessions. */
export interface McpEndpoint {
  /** Answers one HTTP request of a caller that has been let in; the body is parsed already. */
  fetch(request: Request, caller: { readonly entrance: Entrance; readonly body: unknown }): Promise<Response>;
  /** Tells clients that listen that the list of tools is another one. */
  toolsChanged(): void;
}

/** Who makes an HTTP request, and when it went away; handed through the SDK beside the request. */
export interface Visit {
  readonly entrance: Entrance;
  readonly gone: AbortSignal;
  readonly [key: string]: unknown;
}

/** Serves what a factory builds for each request. */
export function createMcpEndpoint(factory: McpServerFactory, options: McpEndpointOptions): McpEndpoint {
  const { bus, ended } = options.listeners ?? createListeners();
  const handler = createMcpHandler(factory, {
    legacy: "stateless",
    responseMode: "auto",
    keepAliveMs: options.keepAliveMs,
    bus,
    onerror: (error) => options.log.warn("An MCP request was refused", { error: error.message }),
  });
  return {
    fetch(request, { entrance, body }) {
      const { id, scopes } = entrance.identity;
      const visit: Visit = { entrance, gone: request.signal };
      const authInfo = { token: "", clientId: id, scopes: [...scopes], extra: visit };
      const asked = isRecord(body) && body.method === LISTEN ? until(ended, request) : request;
      return lateSse(handler.fetch(asked, { authInfo, parsedBody: body }), options);
    },
    toolsChanged: () => handler.notify.toolsChanged(),
  };
}

/** The same request, which its client seems to leave when the signal aborts. Its body has been read. */
function until(signal: AbortSignal, { url, method, headers, signal: gone }: Request): Request {
  return new Request(url, { method, headers, signal: AbortSignal.any([gone, signal]) });
}
