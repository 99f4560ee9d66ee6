import { Hono } from "hono";
import { type Log, OPERATOR_SCOPE } from "../../core/index.ts";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import { HTTP_PATHS, type HttpPath } from "../../projections/to-openapi/index.ts";
import {
  type AuthenticatedCaller,
  type AuthenticationOptions,
  createAuthentication,
} from "./authenticate.ts";
import { type BodyLimits, BodyRefused, readJson } from "./body.ts";
import { METADATA_PATH } from "./challenge.ts";
import { failure, notFound, onlyToGet } from "./failures.ts";
import { reauthorizedStreams } from "./reauthorized-streams.ts";
import { MAIN } from "./serving.ts";

/** Options of the HTTP side. */
interface AppOptions extends AuthenticationOptions, BodyLimits {
  readonly log: Log;
  /** Has the event `reload` when another config is in force. */
  readonly reloads?: EventTarget;
  /** Aborts when the gateway is about to close: lasting streams end. */
  readonly stopping?: AbortSignal;
}

/** The HTTP side of the gateway: routes, authentication and bodies, before a projection sees a request. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  const { authenticate, metadata } = createAuthentication(options);

  app.all("/healthz", (c) => answerHealth(c.req.raw));
  app.all("/metrics", (c) => authenticate(c.req.raw, answerMetrics));
  app.all("/mcp", (c) =>
    authenticate(c.req.raw, (request, caller) => answerMcp(request, caller, caller.serving.mcp.get(MAIN))),
  );
  app.all("/mcp/:facet", (c) => {
    const facet = c.req.param("facet");
    return authenticate(c.req.raw, (request, caller) =>
      answerMcp(request, caller, endpointOf(caller, facet)),
    );
  });
  for (const path of HTTP_PATHS) {
    app.all(path, (c) => authenticate(c.req.raw, (request, caller) => answerHttp(path, request, caller)));
  }
  for (const path of [METADATA_PATH, `${METADATA_PATH}/*`]) app.all(path, (c) => metadata(c.req.raw));
  app.notFound(notFound);
  app.onError((error, c) => {
    options.log.error("A request failed", {
      method: c.req.method,
      path: c.req.path,
      error: error.stack ?? error.message,
    });
    const message = "The request failed. It has been logged; try again or tell the operator.";
    return c.req.path.startsWith("/mcp")
      ? jsonRpcError(500, -32603, message)
      : failure(500, "INTERNAL", message);
  });

  async function answerMcp(
    request: Request,
    { entrance, readmission }: AuthenticatedCaller,
    endpoint: McpEndpoint | undefined,
  ): Promise<Response> {
    if (!endpoint) return notFound();
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return jsonRpcError(body.status, -32700, body.message);
    return endpoint.fetch(request, { entrance, body, readmission });
  }

  async function answerHttp(
    path: HttpPath,
    request: Request,
    { serving, entrance, readmission }: AuthenticatedCaller,
  ): Promise<Response> {
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return failure(body.status, "INVALID_INPUT", body.message);
    if (path !== "/subscribe") return serving.http.fetch(request, { path, entrance, body });
    const { reloads, stopping } = options;
    const lasting = entrance.with(reauthorizedStreams({ ...readmission, reloads, stopping }));
    return serving.http.fetch(request, { path, entrance: lasting, body });
  }

  /** 404 without the operator scope. */
  async function answerMetrics(
    request: Request,
    { serving, entrance }: AuthenticatedCaller,
  ): Promise<Response> {
    if (!entrance.identity.scopes.includes(OPERATOR_SCOPE)) return notFound();
    if (request.method !== "GET" && request.method !== "HEAD") return onlyToGet("/metrics");
    return new Response(serving.metrics(), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }

  /** The parsed body, undefined where there is none in JSON; or the refusal. */
  async function bodyOf(request: Request): Promise<unknown> {
    if (request.method !== "POST" || !isJson(request)) return undefined;
    try {
      return await readJson(request, options);
    } catch (error) {
      if (error instanceof BodyRefused) return error;
      throw error;
    }
  }

  return app;
}

/** Open to all, because a supervisor of the process has no token. */
function answerHealth({ method }: Request): Response {
  if (method === "GET" || method === "HEAD") return Response.json({ status: "ok" });
  return onlyToGet("/healthz");
}

/** The endpoint of a facet, for callers who see something of it; others cannot tell it from a name that does not exist. */
function endpointOf({ serving, entrance }: AuthenticatedCaller, name: string): McpEndpoint | undefined {
  const endpoint = serving.mcp.get(name);
  return endpoint?.existsFor(entrance) ? endpoint : undefined;
}

function isJson(request: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "");
}

function jsonRpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
