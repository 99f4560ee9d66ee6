import { createMcpHandler, type McpServerFactory, type ServerEventBus } from "@modelcontextprotocol/server";
import { type Caller, type Entrance, isRecord, type Log, type Readmission } from "../../core/index.ts";
import { type LateSseOptions, lateSse } from "./late-sse.ts";
import { type Listed, Listeners } from "./listeners.ts";

/** The one request that is answered for as long as its client wants. */
const LISTEN = "subscriptions/listen";

/** Options of an endpoint. */
export interface McpEndpointOptions extends LateSseOptions {
  readonly log: Log;
  /** Those of the endpoint before, if it takes the place of one. */
  readonly listeners?: Listeners;
}

/** A caller that has been let in, and the parsed body of its request. */
export interface McpCaller {
  readonly entrance: Entrance;
  readonly body: unknown;
  readonly readmission?: Readmission;
}

/** MCP over streamable HTTP, every revision on one address, without sessions. */
export interface McpEndpoint {
  fetch(request: Request, caller: McpCaller): Promise<Response>;
  /** Tells one caller's list of tools from another. */
  readonly listed: Listed;
  /** Whether a caller sees anything of what the address is for; to others there is no such address. */
  existsFor(caller: Caller): boolean;
}

/** Who makes an HTTP request, and when it went away; handed through the SDK beside the request. */
export interface Visit {
  readonly entrance: Entrance;
  readonly gone: AbortSignal;
  readonly [key: string]: unknown;
}

/** Serves what a factory builds for each request. */
export function createMcpEndpoint(
  factory: McpServerFactory,
  options: McpEndpointOptions & Partial<Pick<McpEndpoint, "listed" | "existsFor">>,
): McpEndpoint {
  const { listeners = new Listeners(), listed = () => "", existsFor = () => true } = options;
  const common = {
    legacy: "stateless",
    responseMode: "auto",
    keepAliveMs: options.keepAliveMs,
    onerror: (error: Error) => options.log.warn("An MCP request was refused", { error: error.message }),
  } as const;
  const handler = createMcpHandler(factory, common);

  /** A handler for one request, because the SDK tells all listeners of a handler the same. */
  function listen(request: Request, { entrance, readmission }: McpCaller) {
    const refused = new AbortController();
    const bus: ServerEventBus = {
      publish: () => {},
      subscribe(deliver) {
        const tell = () => deliver({ kind: "tools_list_changed" });
        return listeners.add({ entrance, readmission, tell, end: () => refused.abort() }, listed);
      },
    };
    const { fetch } = createMcpHandler(factory, {
      ...common,
      bus,
      maxSubscriptions: listeners.isFull ? 0 : 1,
    });
    return { fetch, request: until(AbortSignal.any([listeners.ended, refused.signal]), request) };
  }

  return {
    fetch(request, caller) {
      const { entrance, body } = caller;
      const { id, scopes } = entrance.identity;
      const visit: Visit = { entrance, gone: request.signal };
      const authInfo = { token: "", clientId: id, scopes: [...scopes], extra: visit };
      const listens = isRecord(body) && body.method === LISTEN;
      const asked = listens ? listen(request, caller) : { fetch: handler.fetch, request };
      return lateSse(asked.fetch(asked.request, { authInfo, parsedBody: body }), options);
    },
    listed,
    existsFor,
  };
}

/** The same request, which its client seems to leave when the signal aborts. Its body has been read. */
function until(signal: AbortSignal, { url, method, headers, signal: gone }: Request): Request {
  return new Request(url, { method, headers, signal: AbortSignal.any([gone, signal]) });
}
