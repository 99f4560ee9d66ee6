import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { Entrance, Log } from "../../core/index.ts";
import { type LateSseOptions, lateSse } from "./late-sse.ts";

/** What an endpoint is made of. */
export interface McpEndpointOptions extends LateSseOptions {
  readonly log: Log;
}

/** MCP over streamable HTTP, every revision on one address, without sessions. */
export interface McpEndpoint {
  /** Answers one HTTP request of a caller that has been let in; the body is parsed already. */
  fetch(request: Request, caller: { readonly entrance: Entrance; readonly body: unknown }): Promise<Response>;
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
    onerror: (error) => options.log.warn("An MCP request was refused", { error: error.message }),
  });
  return {
    fetch(request, { entrance, body }) {
      const { id, scopes } = entrance.identity;
      const visit: Visit = { entrance, gone: request.signal };
      const authInfo = { token: "", clientId: id, scopes: [...scopes], extra: visit };
      return lateSse(handler.fetch(request, { authInfo, parsedBody: body }), options);
    },
    close: () => handler.close(),
  };
}
