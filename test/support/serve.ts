import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { createRuntime, type RuntimeOptions, SILENT_LOG } from "pinhole/core";
import { createApp } from "../../src/gateway/server/app.ts";
import { type HttpServer, listen } from "../../src/gateway/server/server.ts";
import { type McpEndpoint, Sessions } from "../../src/projections/to-mcp/index.ts";
import { createMcpProjection } from "../../src/projections/to-mcp/mcp-projection.ts";
import { createHttpProjection } from "../../src/projections/to-openapi/index.ts";

/** What a served runtime can be told. */
export interface ServeOptions extends RuntimeOptions {
  readonly slowAfterMs?: number;
  readonly keepAliveMs?: number;
  readonly stateKey?: Uint8Array;
  /** Without them, clients of older revisions have no sessions. */
  readonly sessions?: Sessions | "off";
  readonly port?: number;
  /** Served at /mcp instead of the four tools. */
  readonly mcp?: McpEndpoint;
  /** Whether callers without a token are let in at the door; as the policy says where it is not given. */
  readonly door?: "open";
}

/** The address of what answers in this process. */
export const IN_PROCESS = "http://127.0.0.1";

/** Serves a runtime over HTTP on a free port, as the gateway does, without a config. */
export async function serveRuntime({
  port = 0,
  ...options
}: ServeOptions = {}): Promise<HttpServer & { readonly mcpUrl: URL }> {
  const answer = answerRequests(options);
  const server = await listen({ host: "127.0.0.1", port, fetch: async (request) => answer(request) });
  return { ...server, mcpUrl: new URL("/mcp", server.url) };
}

/** Answers requests to IN_PROCESS by a runtime as the gateway does, without a server. */
export function answerRequests(
  options: Omit<ServeOptions, "port"> & { readonly maxBodyBytes?: number } = {},
): (request: Request) => Response | Promise<Response> {
  const {
    slowAfterMs = 5_000,
    keepAliveMs = 15_000,
    stateKey = randomBytes(32),
    maxBodyBytes = 1_000_000,
    sessions = new Sessions(),
    mcp: given,
    door,
    ...rest
  } = options;
  const log = options.log ?? SILENT_LOG;
  const { gateway, registry, validator } = createRuntime(rest);
  const mcp =
    given ??
    createMcpProjection({
      registry,
      validator,
      log,
      version: "0.0.0",
      stateKey,
      slowAfterMs,
      keepAliveMs,
      sessions: sessions === "off" ? undefined : { key: stateKey, endpoint: "", sessions, most: 100 },
    });
  const http = createHttpProjection({ registry, validator, heartbeatMs: keepAliveMs });
  const app = createApp({
    host: "127.0.0.1",
    allowedHosts: [],
    allowedOrigins: [],
    maxBodyBytes,
    maxNesting: 64,
    log,
    serving: () => ({
      gateway,
      mcp: new Map([["", mcp]]),
      http,
      metrics: () => "",
      identitiesConfigured: registry.snapshot().policy.identitiesConfigured,
      maxConnectionsEach: 100,
      anonymous: door === "open" || registry.snapshot().policy.anonymous,
    }),
  });
  return (request) => app.fetch(request);
}

/** Serves an MCP server of the SDK on a free port, until the test ends. */
export async function serveMcp(t: TestContext, factory: McpServerFactory): Promise<{ readonly url: string }> {
  const handler = createMcpHandler(factory);
  const http = await listen({ host: "127.0.0.1", port: 0, fetch: (request) => handler.fetch(request) });
  t.after(async () => {
    await handler.close();
    await http.close(0);
  });
  return { url: `${http.url}/mcp` };
}
