import { httpStatusOf } from "../../contract/index.ts";
import { CallError, type Log, messageOf, OPERATOR_SCOPE } from "../../core/index.ts";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import { type HttpPath, refuse } from "../../projections/to-openapi/index.ts";
import {
  type AuthenticatedCaller,
  type AuthenticationOptions,
  createAuthentication,
} from "./authenticate.ts";
import { type BodyLimits, BodyRefused, readJson } from "./body.ts";
import { decoyTo } from "./decoy.ts";
import { failure, notFound, onlyToGet } from "./failures.ts";
import { findRoute } from "./find-route.ts";
import { reauthorizedStreams } from "./reauthorized-streams.ts";
import { answerRoute } from "./routes.ts";

/** Options of the HTTP side. */
export interface AnswerOptions extends AuthenticationOptions, BodyLimits {
  readonly log: Log;
  /** Has the event `reload` when another config is in force. */
  readonly reloads?: EventTarget;
  /** Aborts when the gateway is about to close: lasting streams end. */
  readonly stopping?: AbortSignal;
}

/** The endpoint that a caller asks for; undefined if there is none for this caller. */
type FindEndpoint = (caller: AuthenticatedCaller) => McpEndpoint | undefined;

/** Answers requests by the projections: authenticates the caller and reads the body first. */
export function createAnswers(options: AnswerOptions) {
  const { authenticate, metadata } = createAuthentication(options);

  async function answerMcp(
    request: Request,
    { entrance, readmission }: AuthenticatedCaller,
    endpoint: McpEndpoint | undefined,
  ): Promise<Response> {
    if (!endpoint) return notFound();
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) {
      const { error } = await entrance.refuse(new CallError("INVALID_INPUT", body.message), request.signal);
      return error.code === "INVALID_INPUT"
        ? jsonRpcError(body.status, -32700, error.message)
        : jsonRpcError(httpStatusOf(error, entrance.identity), -32000, error.message);
    }
    return endpoint.fetch(request, { entrance, body, readmission });
  }

  async function answerHttp(
    path: HttpPath,
    request: Request,
    { serving, entrance, readmission }: AuthenticatedCaller,
  ): Promise<Response> {
    const body = await bodyOf(request);
    if (body instanceof BodyRefused) return refuse(entrance, body.status, body);
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

  /** What the plugins in force and the embedding program answer; there is nothing else at this address. */
  async function answerElsewhere(request: Request): Promise<Response> {
    const { routes } = options.serving();
    const found = findRoute(routes, request);
    if (!routes || !found) return options.decoy ? decoyTo(request, options.decoy) : notFound();
    const isOpen = found.route.public === true;
    const at = { ...options, ...found, routes };
    return authenticate(request, (asked, caller) => answerRoute(asked, caller, at), isOpen);
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

  /** Logs a failure of ours; callers learn nothing but that there was one. */
  async function orFailure(
    request: Request,
    answer: Promise<Response>,
    toFailure: (message: string) => Response,
  ): Promise<Response> {
    try {
      return await answer;
    } catch (error) {
      options.log.error("A request failed", {
        method: request.method,
        path: new URL(request.url).pathname,
        error: (error instanceof Error && error.stack) || messageOf(error),
      });
      return toFailure("The request failed. It has been logged; try again or tell the operator.");
    }
  }

  const mcpFailure = (message: string) => jsonRpcError(500, -32603, message);
  const httpFailure = (message: string) => failure(500, "INTERNAL", message);
  return {
    mcp(request: Request, find: FindEndpoint): Promise<Response> {
      const answer = authenticate(request, (asked, caller) => answerMcp(asked, caller, find(caller)));
      return orFailure(request, answer, mcpFailure);
    },
    http(request: Request, path: HttpPath): Promise<Response> {
      const answer = authenticate(request, (asked, caller) => answerHttp(path, asked, caller));
      return orFailure(request, answer, httpFailure);
    },
    metrics: (request: Request) => orFailure(request, authenticate(request, answerMetrics), httpFailure),
    elsewhere: (request: Request) => orFailure(request, answerElsewhere(request), httpFailure),
    metadata: (request: Request) => orFailure(request, metadata(request), httpFailure),
  };
}

function isJson(request: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "");
}

function jsonRpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
