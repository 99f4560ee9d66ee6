import {
  type AuthInfo,
  createMcpHandler,
  type McpServerFactory,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import { type Entrance, isRecord, type Log } from "../../core/index.ts";
import type { McpCaller, SdkCaller } from "./caller.ts";
import { type Listed, Listeners } from "./listeners.ts";
import { createSessionRequests, type SessionOptions } from "./session-requests.ts";
import { type LateSseOptions, lateSse } from "./streamed-answers.ts";

/** The only request whose answer lasts as long as its client wants. */
const LISTEN = "subscriptions/listen";

/** Options of an endpoint. */
export interface McpEndpointOptions extends LateSseOptions {
  readonly log: Log;
  /** Listeners of the endpoint that this one replaces, if any. */
  readonly listeners?: Listeners;
  /** Sessions of clients of revisions before 2026-07-28; without it there are none. */
  readonly sessions?: SessionOptions | undefined;
}

/** An endpoint of MCP: streamable HTTP, every revision on one address. */
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

/** An endpoint of the SDK, before what the gateway adds to it. */
interface SdkEndpoint extends McpEndpoint {
  /** Hands over a message that belongs to a running call of its session; undefined for all other requests. */
  deliver(request: Request, caller: McpCaller): Response | undefined;
}

/** Serves the server that a factory builds for each request. */
export function createMcpEndpoint(
  factory: McpServerFactory,
  options: McpEndpointOptions & {
    readonly listed?: Listed;
    readonly existsFor?: McpEndpoint["existsFor"];
  },
): SdkEndpoint {
  const { listeners = new Listeners(), listed = () => "", existsFor = () => true } = options;
  const common = {
    legacy: "stateless",
    responseMode: "auto",
    keepAliveMs: options.keepAliveMs,
    onerror: (error: Error) => options.log.warn("An MCP request was refused", { error: error.message }),
  } as const;
  const handler = createMcpHandler(factory, common);
  const { keepAliveMs } = options;
  const most = options.sessions?.most ?? Number.POSITIVE_INFINITY;
  const sessions =
    options.sessions &&
    createSessionRequests(factory, { ...options.sessions, listeners, listed, keepAliveMs });

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
      maxSubscriptions: listeners.hasRoomFor(entrance, most) ? 1 : 0,
    });
    return { fetch, request: until(AbortSignal.any([listeners.ended, refused.signal]), request) };
  }

  async function answer(request: Request, caller: McpCaller, authInfo: AuthInfo): Promise<Response> {
    const inSession = await sessions?.fetch(request, caller, authInfo);
    if (inSession) return inSession;
    const { body } = caller;
    const listens = isRecord(body) && body.method === LISTEN;
    const asked = listens ? listen(request, caller) : { fetch: handler.fetch, request };
    const response = await asked.fetch(asked.request, { authInfo, parsedBody: body });
    return sessions?.begin(response, caller) ?? response;
  }

  return {
    fetch(request, caller) {
      const { entrance } = caller;
      const { id, scopes } = entrance.identity;
      const extra: SdkCaller = { entrance, gone: request.signal };
      const authInfo = { token: "", clientId: id, scopes: [...scopes], extra };
      return lateSse(answer(request, caller, authInfo), options);
    },
    deliver: (request, caller) => sessions?.deliver(request, caller),
    existsFor,
    recheck: ({ tokens }) => listeners.look(listed, tokens),
  };
}

/** The same request, which its client seems to leave when the signal aborts. Its body has been read. */
function until(signal: AbortSignal, { url, method, headers, signal: gone }: Request): Request {
  return new Request(url, { method, headers, signal: AbortSignal.any([gone, signal]) });
}
