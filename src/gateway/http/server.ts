import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ConfigError } from "../config/index.ts";

/** Where and what to serve. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** A listening server. */
export interface HttpServer {
  readonly url: string;
  /** Takes no new connection, lets running requests finish for so long, then ends what is left. */
  close(graceMs: number): Promise<void>;
}

/** Starts listening; fails with a sentence where the address cannot be had. */
export async function listen({ host, port, fetch }: ListenOptions): Promise<HttpServer> {
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  // Slow clients may take their time with an answer, not with a question.
  server.requestTimeout = 60_000;
  server.headersTimeout = 20_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close: (graceMs) => close(server, graceMs) };
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that finishes its request would wait for the next one; it gets none.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const rest = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(rest);
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new ConfigError(
      `Port ${port} on ${host} is taken. Stop what runs there, or choose another one with --port.`,
    );
  }
  return new ConfigError(`Cannot listen on ${host}:${port}: ${error.message}`);
}
