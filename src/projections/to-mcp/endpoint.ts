import { createMcpHandler, type McpServerFactory, type ServerEventBus } from "@modelcontextprotocol/server";
import { type Entrance, isRecord, type Log, type Readmission } from "../../core/index.ts";
import { type Listed, Listeners } from "./listeners.ts";
import { type LateSseOptions, lateSse } from "./streamed-answers.ts";

/** The only request whose answer lasts as long as its client wants. */
const LISTEN = "subscriptions/listen";

/** Options of an endpoint. */
export interface McpEndpointOptions extends LateSseOptions {
  readonly log: Log;
  /** Listeners of the endpoint that this one replaces, if any. */
  readonly listeners?: Listeners;
}

/** An authenticated caller, and the parsed body of its request. */
export interface McpCaller {
  readonly entrance: Entrance;
  readonly body: unknown;
  readonly readmission?: Readmission;
}

/** An endpoint of MCP: streamable HTTP, every revision on one address, without sessions. */
export interface McpEndpoint {
  /** Answers a request. Its caller reaches no more than the endpoint does. */
  fetch(request: Request, caller: McpCaller): Promise<Response>;
  /** True if the caller sees anything that the facet holds; for others the endpoint does not exist. */
  existsFor(entrance: Entrance): boolean;
  /** If set, every request is answered with this reason. */
  readonly problem?: string;
  /** Tells listening clients whose list has changed; with `tokens`, also ends those whose token is no longer accepted. */
  recheck(options: { readonly tokens: boolean }): Promise<void>;
}

/** The caller of one HTTP request, handed through the SDK beside the request. */
export interface SdkCaller {
  readonly entrance: Entrance;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  readonly [key: string]: unknown;
}

/** Serves the server that a factory builds for each request. */
export function createMcpEndpoint(
  factory: McpServerFactory,
  options: McpEndpointOptions & {
    readonly listed?: Listed;
    readonly existsFor?: McpEndpoint["existsFor"];
  },
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
      const extra: SdkCaller = { entrance, gone: request.signal };
      const authInfo = { token: "", clientId: id, scopes: [...scopes], extra };
      const listens = isRecord(body) && body.method === LISTEN;
      const asked = listens ? listen(request, caller) : { fetch: handler.fetch, request };
      return lateSse(asked.fetch(asked.request, { authInfo, parsedBody: body }), options);
    },
    existsFor,
    recheck: ({ tokens }) => listeners.look(listed, tokens),
  };
}

/** The same request, which its client seems to leave when the signal aborts. Its body has been read. */
function until(signal: AbortSignal, { url, method, headers, signal: gone }: Request): Request {
  return new Request(url, { method, headers, signal: AbortSignal.any([gone, signal]) });
}
