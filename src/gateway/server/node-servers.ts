import { createServer, type IncomingMessage } from "node:http";
import {
  constants,
  createSecureServer as createHttp2Server,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from "node:http2";
import type { Server, Socket } from "node:net";
import type { getRequestListener } from "@hono/node-server";
import type { Certificate } from "./tls.ts";

/** Time for a request to arrive. Answers may be read slowly. */
export const REQUEST_TIMEOUT_MS = 55_000;
/** Time for the head of a request. */
const HEADERS_TIMEOUT_MS = 20_000;
/** Interval at which Node looks for requests that took too long. With this, none takes more than a minute. */
export const CHECK_EVERY_MS = 5_000;
/**
 * Time for which an idle connection stays open: longer than proxies and pools keep theirs, mostly a minute. A request that
 * crosses with the end of its connection fails, and its sender cannot know whether it ran.
 */
const KEEP_ALIVE_MS = 75_000;
/** Most open requests of one connection; a page or an agent needs few. */
const MAX_STREAMS = 128;
/** Silence after which a connection is asked to end; running requests still finish. */
const IDLE_MS = 300_000;

type Listener = ReturnType<typeof getRequestListener>;

/** A server and the ways to end its connections. */
export interface Closable {
  readonly server: Server;
  renew(certificate: Certificate): void;
  /** Ends connections without a request, and tells the others that there will be none. */
  endIdle(): void;
  endAll(): void;
}

/** HTTP/1.1 without TLS. With `upgrades` it hands on upgrades to WebSockets. */
export function createPlainServer(listener: Listener, upgrades: boolean): Closable {
  // Some clients offer an upgrade to HTTP/2 with each request, and go on without it where it is not accepted.
  const shouldUpgradeCallback = ({ headers }: IncomingMessage) =>
    upgrades && headers.upgrade?.toLowerCase() === "websocket";
  const server = createServer(
    { shouldUpgradeCallback, connectionsCheckingInterval: CHECK_EVERY_MS },
    listener,
  );
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const endUnused = watchUnused(server, { event: "connection", upgrades });
  return {
    server,
    renew: () => {},
    endIdle() {
      endUnused();
      server.closeIdleConnections();
    },
    endAll: () => server.closeAllConnections(),
  };
}

/** HTTPS with HTTP/2 and HTTP/1.1 on one port, by what the client offers (ALPN). With `upgrades` as the plain one. */
export function createSecureServer(
  certificate: Certificate,
  listener: Listener,
  upgrades: boolean,
): Closable {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const server = createHttp2Server({
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
    if (incoming.httpVersionMajor === 2) limitRequest(incoming);
    void listener(incoming, outgoing);
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    // A client that breaks the protocol ends its own connection and nothing else.
    session.on("error", () => {});
    session.setTimeout(IDLE_MS, () => session.close());
  });
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  const endUnused = watchUnused(server, { event: "secureConnection", upgrades });

  return {
    server,
    renew: ({ cert, key }) => server.setSecureContext({ cert, key, minVersion: "TLSv1.2" }),
    endIdle() {
      endUnused();
      for (const session of sessions) if (!session.closed) session.close();
      (server as { closeIdleConnections?(): void }).closeIdleConnections?.();
    },
    endAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The first request of a connection can be on its way for this long, also while the gateway stops. */
const FIRST_REQUEST_MS = 500;

/**
 * Returns a function that ends connections of HTTP/1.1 without a request so far, which Node does not count as idle. Clients
 * open such connections in advance.
 */
function watchUnused(
  server: Server,
  { event, upgrades }: { readonly event: "connection" | "secureConnection"; readonly upgrades: boolean },
): () => void {
  const unused = new Map<Socket, number>();
  const isUsed = ({ socket }: IncomingMessage) => unused.delete(socket);
  server.on(event, (socket: Socket & { readonly alpnProtocol?: string | false | null }) => {
    if (socket.alpnProtocol === "h2") return;
    unused.set(socket, performance.now());
    socket.once("close", () => unused.delete(socket));
  });
  server.prependListener("request", isUsed);
  // Without a listener for upgrades, Node takes them as ordinary requests.
  if (upgrades) server.prependListener("upgrade", isUsed);
  return () => {
    const latest = performance.now() - FIRST_REQUEST_MS;
    for (const [socket, since] of unused) if (since <= latest) socket.destroy();
  };
}

/** HTTP/1.1 has the timeouts of the server; HTTP/2 has none. */
function limitRequest(incoming: Http2ServerRequest): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => {
    if (!incoming.complete) incoming.stream.close(constants.NGHTTP2_CANCEL);
  }, REQUEST_TIMEOUT_MS);
  timer.unref();
  for (const event of ["end", "close"]) incoming.once(event, () => clearTimeout(timer));
}
