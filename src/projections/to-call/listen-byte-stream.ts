import { rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { CallError } from "../../core/index.ts";
import type { Transport } from "../../protocol/index.ts";
import { type ByteStreamAddress, toByteStreamTransport } from "../../protocol/transports/index.ts";
import type { CallProjection } from "./call-projection.ts";

/** A listening byte stream. */
export interface ByteStreamServer {
  readonly address: ByteStreamAddress;
  /** Takes no new connection; those that are there are the projection's. */
  close(): Promise<void>;
}

/**
 * Serves the call protocol to programs over TCP or a Unix socket. A byte stream has no handshake that could
 * carry a token, so that each request carries its own, or is nobody's.
 */
export async function listenByteStream(
  projection: CallProjection,
  address: ByteStreamAddress,
): Promise<ByteStreamServer> {
  const server = createServer((socket) => void take(projection, socket));
  try {
    await listen(server, address);
  } catch (error) {
    // A socket file stays behind when its process is killed.
    if (!("path" in address) || !isTaken(error) || (await isServed(address.path))) throw error;
    await rm(address.path, { force: true });
    await listen(server, address);
  }
  const { port } = "path" in address ? { port: 0 } : (server.address() as AddressInfo);
  return {
    address: "path" in address ? address : { host: address.host, port },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function take(projection: CallProjection, socket: Socket): Promise<void> {
  const transport = toByteStreamTransport(socket, projection.maxReceivedBytes);
  try {
    const { identity } = await projection.gateway().enter();
    if (projection.hasRoom) projection.accept(transport, { identity, token: undefined });
    else refuse(transport, "This gateway takes no more connections. Try again later.");
  } catch (error) {
    refuse(transport, error instanceof CallError ? error.message : "The connection failed. Try again.");
  }
}

function refuse(transport: Transport, message: string): void {
  transport.close({ code: "leaving", message });
}

function listen(server: Server, address: ByteStreamAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...address }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED"));
  });
}
