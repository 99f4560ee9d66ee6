import { type Context, Hono } from "hono";
import { CallError, type Entrance, type GatewayDispatch, type Log } from "../../core/index.ts";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import { type BodyLimits, BodyRefused, readJson } from "./body.ts";
import { createGuard, type GuardOptions } from "./guard.ts";

/** What answers requests at the moment; a reload replaces it while running requests keep theirs. */
export interface Serving {
  readonly gateway: GatewayDispatch;
  readonly mcp: McpEndpoint;
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

  app.get("/healthz", (c) => c.json({ status: "ok" }));
  app.all("/mcp", (c) => answerMcp(c));
  app.notFound((c) =>
    c.json(
      { error: { code: "NOT_FOUND", message: "There is nothing at this address.", retryable: false } },
      404,
    ),
  );
  app.onError((error, c) => {
    options.log.error("A request failed", {
      method: c.req.method,
      path: c.req.path,
      error: error.stack ?? error.message,
    });
    return c.json(
      jsonRpcError(-32603, "The request failed. It has been logged; try again or tell the operator."),
      500,
    );
  });

  async function answerMcp(c: Context): Promise<Response> {
    const request = c.req.raw;
    const refused = guard(request);
    if (refused) return refused;
    const { gateway, mcp, anonymous } = options.serving();
    const token = bearerOf(request);
    if (token === undefined && !anonymous) return challenge("This server needs a token.");
    let entrance: Entrance;
    try {
      entrance = await gateway.enter(token, request.signal);
    } catch (error) {
      if (error instanceof CallError && error.code === "FORBIDDEN") return challenge(error.message);
      if (error instanceof CallError) return c.json({ error: error.toJSON() }, 503);
      throw error;
    }
    if (request.method !== "POST" || !isJson(request))
      return mcp.fetch(request, { entrance, body: undefined });
    try {
      return await mcp.fetch(request, { entrance, body: await readJson(request, options) });
    } catch (error) {
      if (!(error instanceof BodyRefused)) throw error;
      return c.json(jsonRpcError(-32700, error.message), error.status);
    }
  }

  return app;
}

/** The credential as presented; one that is no bearer token cannot be known by anyone. */
function bearerOf(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(header)?.[1] ?? "";
}

function challenge(message: string): Response {
  return Response.json(
    { error: { code: "FORBIDDEN", message, retryable: false } },
    { status: 401, headers: { "www-authenticate": 'Bearer realm="pinhole", error="invalid_token"' } },
  );
}

function isJson(request: Request): boolean {
  return /^application\/json\b/i.test(request.headers.get("content-type") ?? "");
}

function jsonRpcError(code: number, message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
