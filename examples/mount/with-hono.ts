/** A runtime in an application of hono, beside its own routes. */
import { Hono } from "hono";
import type { Runtime } from "pinhole/core";
import { toHttp, toMcp } from "pinhole/projections";

export function withHono(runtime: Runtime): Hono {
  const mcp = toMcp(runtime);
  const app = new Hono();
  app.get("/", (c) => c.text("my application"));
  app.all("/mcp", (c) => mcp(c.req.raw));
  // `mount` takes the prefix away, so that this is /tools/search, /tools/call and so on.
  app.mount("/tools", toHttp(runtime));
  return app;
}
