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
  /** Where clients listen for changes; it may outlive the endpoint, so that they hear of what comes after it. */
  readonly listeners?: Listeners;
}

/** Clients that want to be told when the list of tools changes. */
export type Listeners = ServerEventBus;

/** A place for clients to listen, in this process. */
export function createListeners(): Listeners {
  return new InMemoryServerEventBus();
}

/** MCP over streamable HTTP, every revision on one address, without sessions. */
export interface McpEndpoint {
  /** Answers one HTTP request of a caller that has been let in; the body is parsed already. */
  fetch(request: Request, caller: { readonly entrance: Entrance; readonly body: unknown }): Promise<Response>;
  /** Lets go of clients that only listen; running calls go on. */
  endListening(): void;
  /** Tells clients that listen that the list of tools is another one. */
  toolsChanged(): void;
  close(): Promise<void>;
}

/** Who makes an HTTP request, and when it went away; handed through the SDK beside the request. */
export interface Visit {
  readonly entrance: Entrance;
  readonly gone: AbortSignal;
  readonly [key: string]: unknown;
}

/** Serves what a factory builds for each request. */
export function createMcpEndpoint(factory: McpServerFactory, options: McpEndpointOptions): McpEndpoint {
  const handler = createMcpHandler(factory, {
    legacy: "stateless",
    responseMode: "auto",
    keepAliveMs: options.keepAliveMs,
    ...(options.listeners && { bus: options.listeners }),
    onerror: (error) => options.log.warn("An MCP request was refused", { error: error.message }),
  });
  const listening = new AbortController();
  return {
    fetch(request, { entrance, body }) {
      const { id, scopes } = entrance.identity;
      const visit: Visit = { entrance, gone: request.signal };
      const authInfo = { token: "", clientId: id, scopes: [...scopes], extra: visit };
      const asked = isRecord(body) && body.method === LISTEN ? until(listening.signal, request) : request;
      return lateSse(handler.fetch(asked, { authInfo, parsedBody: body }), options);
    },
    endListening: () => listening.abort(),
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}

/** The same request, which its client seems to leave when the signal aborts. Its body has been read. */
function until(signal: AbortSignal, { url, method, headers, signal: gone }: Request): Request {
  return new Request(url, { method, headers, signal: AbortSignal.any([gone, signal]) });
}
