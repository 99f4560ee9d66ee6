import { Hono } from "hono";
import type { Log, Reach } from "../../core/index.ts";
import { OPERATOR_SCOPE } from "../../core/index.ts";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import { HTTP_PATHS, type HttpPath, type HttpProjection } from "../../projections/to-openapi/index.ts";
import { type BodyLimits, BodyRefused, readJson } from "./body.ts";
import { type Admission, createDoor, type DoorOptions, type Visit } from "./door.ts";
import { failure, notFound, onlyToGet } from "./failures.ts";
import { reauthorizedStreams } from "./reauthorized-streams.ts";
import { METADATA_PATH } from "./resource.ts";

/** What answers requests at the moment; a reload replaces it while running requests keep theirs. */
export interface Serving extends Admission {
  readonly mcp: McpServing;
  readonly http: HttpProjection;
  /** What plain HTTP is confined to, where one facet is served alone. */
  readonly reach?: Reach | undefined;
  /** True: lasting connections need a token, also where single requests need none. */
  readonly identitiesConfigured: boolean;
  /** How many connections one identity may have that has no limit of its own. */
  readonly maxConnectionsEach: number;
  /** What has been counted, in the text format of Prometheus. */
  readonly metrics: () => string;
}

/** One MCP address: what answers there, and what can be reached through it. */
export interface McpDoor {
  readonly endpoint: McpEndpoint;
  readonly reach: Reach | undefined;
}

/** The MCP addresses. */
export interface McpServing {
  readonly main: McpDoor;
  /** Those at /mcp/NAME. */
  readonly facets: ReadonlyMap<string, McpDoor>;
}

/** Options of the HTTP side. */
interface AppOptions extends DoorOptions<Serving>, BodyLimits {
  readonly log: Log;
  /** Has the event `reload` when another config is in force. */
  readonly reloads?: EventTarget;
  /** Aborts when the gateway is about to close: what lasts is let go of. */
  readonly stopping?: AbortSignal;
}

/** The HTTP side of the gateway: what every request passes before a projection sees it. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  const door = createDoor(options);

  app.all("/healthz", (c) => answerHealth(c.req.raw));
  app.all("/metrics", (c) => door.authenticate(c.req.raw, answerMetrics));
  app.all("/mcp", (c) =>
    door.authenticate(c.req.raw, (request, visit) => answerMcp(request, visit, visit.serving.mcp.main)),
  );
  app.all("/mcp/:facet", (c) => {
    const facet = c.req.param("facet");
    return door.authenticate(c.req.raw, (request, visit) => answerMcp(request, visit, facetOf(visit, facet)));
  });
  for (const path of HTTP_PATHS) {
    app.all(path, (c) => door.authenticate(c.req.raw, (request, visit) => answerHttp(path, request, visit)));
  }
  for (const path of [METADATA_PATH, `${METADATA_PATH}/*`]) app.all(path, (c) => door.metadata(c.req.raw));
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
    { entrance, readmission }: Visit<Serving>,
    mcp: McpDoor | undefined,
  ): Promise<Response> {
    if (!mcp) return notFound();
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return jsonRpcError(body.status, -32700, body.message);
    return mcp.endpoint.fetch(request, { entrance: entrance.within(mcp.reach), body, readmission });
  }

  async function answerHttp(
    path: HttpPath,
    request: Request,
    { serving, entrance, readmission }: Visit<Serving>,
  ): Promise<Response> {
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return failure(body.status, "INVALID_INPUT", body.message);
    const { reloads, stopping } = options;
    const reauthorized = reauthorizedStreams({ ...readmission, reloads, stopping });
    const confined = entrance.within(serving.reach).with(reauthorized);
    return serving.http.fetch(request, { path, entrance: confined, body });
  }

  /** 404 without the operator scope. */
  async function answerMetrics(request: Request, { serving, entrance }: Visit<Serving>): Promise<Response> {
    if (!entrance.identity.scopes.includes(OPERATOR_SCOPE)) return notFound();
    if (request.method !== "GET" && request.method !== "HEAD") return onlyToGet("/metrics");
    return new Response(serving.metrics(), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
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

/** Open to all: a supervisor of the process has no token. */
function answerHealth({ method }: Request): Response {
  if (method === "GET" || method === "HEAD") return Response.json({ status: "ok" });
  return onlyToGet("/healthz");
}

/** The address of a facet, for callers who see something of it; others cannot tell it from a name that does not exist. */
function facetOf({ serving, entrance }: Visit<Serving>, name: string): McpDoor | undefined {
  const door = serving.mcp.facets.get(name);
  return door?.endpoint.existsFor(entrance.within(door.reach).caller) ? door : undefined;
}

function isJson(request: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "");
}

function jsonRpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
