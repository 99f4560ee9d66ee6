import {
  nameOfRoute,
  problemOfRoute,
  RegistrationError,
  type Route,
  routeCovers,
  type SourceSet,
} from "../model/index.ts";

/** A route together with the name of the source that brought it. */
export interface FoundRoute {
  readonly route: Route;
  readonly source: string;
}

type Sources = ReadonlyMap<string, SourceSet>;

/** All routes at a path, the one that names it most exactly first. */
export function routesAt(sources: Sources, path: string): readonly FoundRoute[] {
  const found: FoundRoute[] = [];
  for (const [source, { routes = [] }] of sources)
    for (const route of routes) if (routeCovers(route, path)) found.push({ route, source });
  const length = ({ route }: FoundRoute) =>
    route.path === path ? Number.POSITIVE_INFINITY : route.path.length;
  return found.sort((one, other) => (length(one) < length(other) ? 1 : -1));
}

/** Throws for a set with something that is not a route, and for routes of a single caller. */
export function refuseBadRoutes({ source, routes }: SourceSet): void {
  if (routes === undefined) return;
  const whose = `The source "${source.name}" cannot be used`;
  if (!Array.isArray(routes)) throw new RegistrationError(`${whose}: its routes are not a list.`);
  if (source.connection !== undefined && routes.length > 0)
    throw new RegistrationError(`${whose}: it belongs to one caller, and routes are there for all.`);
  for (const [index, route] of routes.entries()) {
    const problem = problemOfRoute(route);
    if (problem) throw new RegistrationError(`${whose}: ${shown(route, index)} ${problem}.`);
  }
}

/** Throws where two sources, or one twice, answer the same method at the same path. */
export function refuseSharedRoutes(sources: Sources): void {
  const taken = new Map<string, string>();
  for (const [source, { routes = [] }] of sources) {
    for (const route of routes) {
      const name = nameOfRoute(route);
      const first = taken.get(name);
      if (first !== undefined) {
        const who = first === source ? `source "${first}" twice` : `the sources "${first}" and "${source}"`;
        const message = `The route ${name} is offered by ${who}. Change one of them, or leave one out.`;
        throw new RegistrationError(message, "NAME_COLLISION");
      }
      taken.set(name, source);
    }
  }
}

function shown(route: Partial<Route> | undefined, index: number): string {
  return typeof route?.path === "string"
    ? `its route ${JSON.stringify(route.path)}`
    : `its route ${index + 1}`;
}
