import {
  constants,
  createSecureServer as create,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import type { getRequestListener } from "@hono/node-server";
import {
  CHECK_EVERY_MS,
  type Closable,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  REQUEST_TIMEOUT_MS,
} from "./closable.ts";
import type { Certificate } from "./tls.ts";

/** How many requests one connection may have open; a page or an agent needs few. */
const MAX_STREAMS = 128;
/** After how long a silence a connection is asked to end; what runs on it still finishes. */
const IDLE_MS = 300_000;

/** HTTPS with HTTP/2 and HTTP/1.1 on one port, by what the client offers (ALPN). */
export function createSecureServer(
  certificate: Certificate,
  listener: ReturnType<typeof getRequestListener>,
): Closable {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const server = create({
    ...certificate,
    allowHTTP1: true,
    minVersion: "TLSv1.2",
    settings: { maxConcurrentStreams: MAX_STREAMS },
  });
  Object.assign(server, {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  });

  server.on("request", (incoming, outgoing) => {
    if (incoming.httpVersionMajor === 2) limitQuestion(incoming);
    void listener(incoming, outgoing);
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    // Whoever breaks the protocol ends its own connection and nothing else.
    session.on("error", () => {});
    session.setTimeout(IDLE_MS, () => session.close());
  });
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  return {
    server,
    renew: ({ cert, key }) => server.setSecureContext({ cert, key, minVersion: "TLSv1.2" }),
    endIdle() {
      for (const session of sessions) if (!session.closed) session.close();
      (server as { closeIdleConnections?(): void }).closeIdleConnections?.();
    },
    endAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** HTTP/1.1 has this by the server's own timeouts; HTTP/2 has none. */
function limitQuestion(incoming: Http2ServerRequest): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => {
    if (!incoming.complete) incoming.stream.close(constants.NGHTTP2_CANCEL);
  }, REQUEST_TIMEOUT_MS);
  timer.unref();
  for (const event of ["end", "close"]) incoming.once(event, () => clearTimeout(timer));
}
