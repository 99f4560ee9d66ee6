import {
  type Audit,
  type AuditGate,
  type FoundRoute,
  isReservedPath,
  type Registry,
  routesAt,
} from "../../core/index.ts";

/** The routes in force, and what holds for their requests. */
export interface Routes {
  readonly registry: Registry;
  readonly deadlineMs: number;
  readonly audit: Audit;
  readonly auditGate: AuditGate | undefined;
}

/** The route for a request, among those of the plugins in force. */
export function findRoute(routes: Routes | undefined, { method, url }: Request): FoundRoute | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  return routesUnder(routes, new URL(url).pathname).find(({ route }) => route.method === wanted);
}

/** All routes at a path; none at the gateway's own paths, whatever a route covers. */
export function routesUnder(routes: Routes | undefined, path: string): readonly FoundRoute[] {
  return routes && !isReservedPath(path) ? routesAt(routes.registry.snapshot().sources, path) : [];
}
