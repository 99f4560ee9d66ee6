import type { ActionName } from "../../contract/index.ts";

/** One address: what it does, and by which methods. */
export interface Route {
  readonly methods: readonly ("GET" | "POST")[];
  readonly action: ActionName | "document";
}

/** The addresses of the plain HTTP side. */
export const ROUTES = {
  "/search": { methods: ["GET", "POST"], action: "search" },
  "/schema": { methods: ["GET", "POST"], action: "schema" },
  "/call": { methods: ["POST"], action: "call" },
  "/batch": { methods: ["POST"], action: "batch" },
  "/subscribe": { methods: ["POST"], action: "subscribe" },
  "/openapi.json": { methods: ["GET"], action: "document" },
} as const satisfies Record<string, Route>;

/** One of the addresses. */
export type HttpPath = keyof typeof ROUTES;

/** All addresses, for the server that mounts the projection. */
export const HTTP_PATHS = Object.keys(ROUTES) as readonly HttpPath[];

/** Whether an address is asked in a way that it answers; HEAD is a GET without the body. */
export function permits({ methods }: Route, method: string): boolean {
  return methods.some((known) => known === (method === "HEAD" ? "GET" : method));
}

/** Value of the Allow header. */
export function allowed({ methods }: Route): string {
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}
