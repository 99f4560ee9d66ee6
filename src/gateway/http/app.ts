import { Hono } from "hono";
import { CallError, type Entrance, type GatewayDispatch, type Log } from "../../core/index.ts";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import { HTTP_PATHS, type HttpPath, type HttpProjection } from "../../projections/to-openapi/index.ts";
import { type BodyLimits, BodyRefused, readJson } from "./body.ts";
import { createGuard, type GuardOptions } from "./guard.ts";

/** What answers requests at the moment; a reload replaces it while running requests keep theirs. */
export interface Serving {
  readonly gateway: GatewayDispatch;
  readonly mcp: McpEndpoint;
  readonly http: HttpProjection;
  /** False: whoever presents no token is turned away at the door. */
  readonly anonymous: boolean;
}

/** What the HTTP side is made of. */
export interface AppOptions extends GuardOptions, BodyLimits {
  readonly serving: () => Serving;
  readonly log: Log;
}

/** The HTTP side of the gateway: what every request passes before a projection sees it. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  const guard = createGuard(options);

  app.all("/healthz", (c) => answerHealth(c.req.raw));
  app.all("/mcp", (c) => letIn(c.req.raw, answerMcp));
  for (const path of HTTP_PATHS) {
    app.all(path, (c) => letIn(c.req.raw, (request, visit) => answerHttp(path, request, visit)));
  }
  app.notFound(() => failure(404, "NOT_FOUND", "There is nothing at this address."));
  app.onError((error, c) => {
    options.log.error("A request failed", {
      method: c.req.method,
      path: c.req.path,
      error: error.stack ?? error.message,
    });
    const message = "The request failed. It has been logged; try again or tell the operator.";
    return c.req.path === "/mcp" ? jsonRpcError(500, -32603, message) : failure(500, "INTERNAL", message);
  });

  /** Host and origin → token → identity → whoever answers at this address. */
  async function letIn(
    request: Request,
    answer: (request: Request, visit: Visit) => Promise<Response>,
  ): Promise<Response> {
    const refused = guard(request);
    if (refused) return refused;
    const serving = options.serving();
    const token = bearerOf(request);
    if (token === undefined && !serving.anonymous) return challenge("This server needs a token.");
    let entrance: Entrance;
    try {
      entrance = await serving.gateway.enter(token, request.signal);
    } catch (error) {
      if (error instanceof CallError && error.code === "FORBIDDEN") return challenge(error.message);
      if (error instanceof CallError) return Response.json({ error: error.toJSON() }, { status: 503 });
      throw error;
    }
    return answer(request, { serving, entrance });
  }

  async function answerMcp(request: Request, { serving, entrance }: Visit): Promise<Response> {
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return jsonRpcError(body.status, -32700, body.message);
    return serving.mcp.fetch(request, { entrance, body });
  }

  async function answerHttp(
    path: HttpPath,
    request: Request,
    { serving, entrance }: Visit,
  ): Promise<Response> {
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return failure(body.status, "INVALID_INPUT", body.message);
    return serving.http.fetch(request, { path, entrance, body });
  }

  /** The parsed body, undefined where there is none in JSON; or why it was not taken. */
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

/** A caller that was let in, and what answered at that moment. */
interface Visit {
  readonly serving: Serving;
  readonly entrance: Entrance;
}

/** Open to all: whoever looks after the process has no token and needs none for this. */
function answerHealth({ method }: Request): Response {
  if (method === "GET" || method === "HEAD") return Response.json({ status: "ok" });
  const response = failure(405, "INVALID_OPERATION_TYPE", "/healthz answers to GET.");
  response.headers.set("allow", "GET, HEAD");
  return response;
}

/** The credential as presented; one that is no bearer token cannot be known by anyone. */
function bearerOf(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(header)?.[1] ?? "";
}

function challenge(message: string): Response {
  const response = failure(401, "FORBIDDEN", message);
  response.headers.set("www-authenticate", 'Bearer realm="pinhole", error="invalid_token"');
  return response;
}

function failure(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message, retryable: false } }, { status });
}

function isJson(request: Request): boolean {
  return /^application\/json\b/i.test(request.headers.get("content-type") ?? "");
}

function jsonRpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
