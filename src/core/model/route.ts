import type { OperationLog } from "./context.ts";
import type { Identity } from "./identity.ts";
import { isRecord } from "./json.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What the handler of a route knows beside its request. */
export interface RouteContext {
  readonly requestId: string;
  /** The caller; without a token, at a public route, the anonymous one. */
  readonly identity: Identity;
  /** Aborts when the caller goes away, and at the deadline. */
  readonly signal: AbortSignal;
  readonly log: OperationLog;
}

/** An HTTP address that a plugin or an embedding program answers beside its operations. No agent is told of it. */
export interface Route {
  /** `GET` answers HEAD as well. */
  readonly method: (typeof METHODS)[number];
  /** A path such as `/hooks/mail`, or `/files/*` for everything below `/files/`. */
  readonly path: string;
  /** True: callers without a token come in too. */
  readonly public?: boolean;
  /** Gets the whole body, within the limit of the server, and not the token of the caller. */
  readonly handler: (request: Request, context: RouteContext) => Response | Promise<Response>;
}

const KEYS: ReadonlySet<string> = new Set(["method", "path", "public", "handler"]);

/** The first segments of the gateway's own paths, and of those that it keeps for itself. */
const RESERVED: ReadonlySet<string> = new Set([
  ".well-known",
  "batch",
  "call",
  "call-protocol",
  "console",
  "healthz",
  "mcp",
  "metrics",
  "openapi.json",
  "refs",
  "schema",
  "search",
  "subscribe",
]);

/** True for paths that only the gateway itself answers. */
export function isReservedPath(path: string): boolean {
  return RESERVED.has(path.split("/", 2)[1] ?? "");
}

/** A route as the audit and messages name it. */
export function nameOfRoute({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path}`;
}

/** True if a route answers at a path. */
export function routeCovers({ path: pattern }: Route, path: string): boolean {
  return pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** The problem of something that is offered as a route, as the end of a sentence; undefined if it is one. */
export function problemOfRoute(route: unknown): string | undefined {
  if (!isRecord(route)) return "is not a record. Write { method, path, handler }";
  const { method, path, handler } = route;
  const unknown = Object.keys(route).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    return `has ${unknown}, which has no effect. It may have: ${[...KEYS].join(", ")}`;
  if (!METHODS.some((known) => known === method)) return `needs a method: ${METHODS.join(", ")}`;
  if (typeof path !== "string" || !path.startsWith("/")) return 'needs a path that begins with "/"';
  // The server answers such paths with 404 before it looks for a route.
  if (/\.\.|\/\/|[%\\?#\s]|[^\x20-\x7e]/.test(path) || path.replace(/\/\*$/, "").includes("*"))
    return "needs a path of plain segments, such as /hooks/mail; /* may be its end, and there is no .., // or %";
  if (isReservedPath(path))
    return "has a path that belongs to the gateway itself. Choose another first segment";
  if (route.public !== undefined && typeof route.public !== "boolean") return "needs true or false as public";
  return typeof handler === "function" ? undefined : "needs a function as its handler";
}
