import { Hono } from "hono";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import { HTTP_PATHS } from "../../projections/to-openapi/index.ts";
import { type AnswerOptions, createAnswers } from "./answers.ts";
import type { AuthenticatedCaller } from "./authenticate.ts";
import { METADATA_PATH } from "./challenge.ts";
import { onlyToGet } from "./failures.ts";
import { MAIN } from "./serving.ts";

/** The HTTP side of the gateway: the addresses, and what answers at each. */
export function createApp(options: AnswerOptions): Hono {
  const app = new Hono();
  const answers = createAnswers(options);

  app.all("/healthz", (c) => answerHealth(c.req.raw));
  app.all("/metrics", (c) => answers.metrics(c.req.raw));
  app.all("/mcp", (c) => answers.mcp(c.req.raw, ({ serving }) => serving.mcp.get(MAIN)));
  app.all("/mcp/:facet", (c) => {
    const facet = c.req.param("facet");
    return answers.mcp(c.req.raw, (caller) => endpointOf(caller, facet));
  });
  for (const path of HTTP_PATHS) app.all(path, (c) => answers.http(c.req.raw, path));
  for (const path of [METADATA_PATH, `${METADATA_PATH}/*`]) app.all(path, (c) => answers.metadata(c.req.raw));
  app.notFound((c) => answers.elsewhere(c.req.raw));
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
