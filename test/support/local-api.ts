import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A small HTTP API on this machine, with its document. */
export interface LocalApi {
  readonly url: string;
  /** Method and path of each request, in order. */
  readonly asked: string[];
  /** Headers of the last request. */
  readonly lastHeaders: () => IncomingMessage["headers"];
  /** How many events were written so far, over all streams. */
  readonly eventsWritten: () => number;
  /** Resolves when a stream has lost its reader. */
  readonly streamLost: Promise<void>;
  close(): Promise<void>;
}

/** The document of the API; more paths can be added. */
export function documentOf(url: string, morePaths: object = {}): object {
  const json = (schema: object = {}) => ({
    description: "Fine.",
    content: { "application/json": { schema } },
  });
  return {
    openapi: "3.1.0",
    info: { title: "Shop", description: "Sells things. To people." },
    servers: [{ url }],
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
    security: [{ key: [] }],
    paths: {
      "/items/{id}": {
        get: {
          operationId: "getItem",
          summary: "Gets one item",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { 200: json({ type: "object" }), 404: { description: "There is no such item." } },
        },
      },
      "/flaky": {
        get: { operationId: "readFlaky", responses: { 200: json() } },
        post: { operationId: "writeFlaky", responses: { 200: json() } },
      },
      "/events": {
        get: {
          operationId: "watch",
          parameters: [{ name: "count", in: "query", schema: { type: "integer" } }],
          responses: { 200: { description: "Events.", content: { "text/event-stream": {} } } },
        },
      },
      ...morePaths,
    },
  };
}

/** Starts the API on a free port. `/flaky` says 503 at every first of two requests; `/events` streams until it is told to end. */
export async function startLocalApi(): Promise<LocalApi> {
  const asked: string[] = [];
  let headers: IncomingMessage["headers"] = {};
  let flaky = 0;
  let events = 0;
  let lost = () => {};
  const streamLost = new Promise<void>((resolve) => {
    lost = resolve;
  });

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "http://local");
    asked.push(`${request.method} ${url.pathname}`);
    headers = request.headers;
    const say = (status: number, body: unknown, more: Record<string, string> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
    if (url.pathname === "/openapi.json") return say(200, documentOf(urlOf(server)));
    if (url.pathname === "/flaky")
      return flaky++ % 2 === 0 ? say(503, { message: "Resting" }) : say(200, "awake");
    if (url.pathname === "/items/1") return say(200, { id: "1" });
    if (url.pathname !== "/events") return say(404, { message: "No such item" });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.on("close", lost);
    const total = Number(url.searchParams.get("count") ?? Number.POSITIVE_INFINITY);
    let sent = 0;
    const write = () => {
      while (sent < total) {
        events++;
        // Long enough that a reader who stops is noticed soon.
        if (!response.write(`data: {"n":${sent++},"filler":"${"x".repeat(200)}"}\n\n`)) return;
      }
      response.end();
    };
    response.on("drain", write);
    write();
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: urlOf(server),
    asked,
    lastHeaders: () => headers,
    eventsWritten: () => events,
    streamLost,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
