import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, Server } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { ConfigError } from "../../config/index.ts";
import type { Decoy } from "./decoy.ts";
import { notFound } from "./failures.ts";
import { isPlainPath } from "./guard.ts";
import { type Closable, createPlainServer, createSecureServer } from "./node-servers.ts";
import type { Certificate } from "./tls.ts";

/** The address to listen on, and what answers there. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** With one it is HTTPS: HTTP/2 and HTTP/1.1 on the same port. */
  readonly certificate?: Certificate | undefined;
  /** Answers paths that can be read in several ways, which `fetch` does not get. */
  readonly decoy?: Decoy | undefined;
  /** Takes upgrades to other protocols, which only HTTP/1.1 has; without it they are ordinary requests. */
  readonly upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => unknown) | undefined;
}

/** A listening server. */
export interface HttpServer {
  readonly url: string;
  /** Takes a renewed certificate for new connections; open ones stay. Does nothing where there was none at the start. */
  renew(certificate: Certificate): void;
  /**
   * Takes no new connection, lets running requests finish for so long, then ends the rest. Every answer from now on
   * is the last of its connection, and says so; idle connections are ended after `lingerMs`.
   */
  close(graceMs: number, lingerMs?: number): Promise<void>;
}

/** Starts listening; throws a ConfigError where it cannot. */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  const { host, port, fetch, certificate, upgrade, decoy } = options;
  const answer = certificate ? withoutConnection(fetch) : fetch;
  const listener = plainPathsOnly(getRequestListener(answer, { overrideGlobalObjects: false }), decoy);
  const closable = certificate
    ? createSecureServer(certificate, listener, upgrade !== undefined)
    : createPlainServer(listener, upgrade !== undefined);
  const { server } = closable;
  const announceEnd = watchAnswers(server);
  if (upgrade) server.on("upgrade", upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `${certificate ? "https" : "http"}://${name}:${address.port}`,
    renew: closable.renew,
    close(graceMs, lingerMs = 0) {
      announceEnd();
      return close(closable, graceMs, lingerMs);
    },
  };
}

type Listener = ReturnType<typeof getRequestListener>;

/** Checks a path before anything makes a URL of it, because that would change it. */
function plainPathsOnly(listener: Listener, decoy: Decoy | undefined): Listener {
  return async (incoming, outgoing) => {
    if (isPlainPath(incoming.url ?? "")) return listener(incoming, outgoing);
    const { method = "GET" } = incoming;
    const { status, headers, body } = (await decoy?.({ method })) ?? notFound();
    outgoing.statusCode = status;
    for (const [name, value] of headers) outgoing.setHeader(name, value);
    outgoing.end(await new Response(body).text());
  };
}

/** HTTP/2 has no such header (RFC 9113, section 8.2.2), and over HTTP/1.1 it says nothing new. */
function withoutConnection(fetch: ListenOptions["fetch"]): ListenOptions["fetch"] {
  return async (request) => {
    const response = await fetch(request);
    response.headers.delete("connection");
    return response;
  };
}

/** Returns a function that makes every later answer over HTTP/1.1 the last of its connection. */
function watchAnswers(server: Server): () => void {
  const open = new Set<ServerResponse>();
  let ending = false;
  const announce = (outgoing: ServerResponse) => {
    if (!outgoing.headersSent) outgoing.setHeader("connection", "close");
  };
  server.prependListener("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.httpVersionMajor !== 1) return;
    if (ending) announce(outgoing);
    open.add(outgoing);
    outgoing.once("close", () => open.delete(outgoing));
  });
  return () => {
    ending = true;
    for (const outgoing of open) announce(outgoing);
  };
}

async function close(
  { server, endIdle, endAll }: Closable,
  graceMs: number,
  lingerMs: number,
): Promise<void> {
  // The close of an HTTP server ends idle connections at once, while a request may be on its way over them.
  const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
  if (lingerMs > 0) await Promise.race([closed, sleep(lingerMs)]);
  endIdle();
  // A connection that finishes its request would wait for the next one; it gets none.
  const idle = setInterval(endIdle, 50);
  const rest = setTimeout(endAll, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(rest);
}

/** The error for an address that cannot be listened on, with what to do. */
export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ConfigError {
  if (error.code === "EADDRINUSE") {
    return new ConfigError(
      `Port ${port} on ${host} is taken. Stop what runs there, or choose another one with --port.`,
    );
  }
  const advice =
    error.code === "EACCES"
      ? "Choose a port above 1023 with --port, or give the program the right to use it."
      : "Set server.host to an address of this machine.";
  return new ConfigError(`Cannot listen on ${host}:${port}: ${error.message}. ${advice}`);
}
