import { lstat, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { CallError } from "../../core/index.ts";
import type { Transport } from "../../protocol/index.ts";
import { type ByteStreamAddress, toByteStreamTransport } from "../../protocol/transports/index.ts";
import type { CallProjection } from "./call-projection.ts";

/** A listening byte stream. */
export interface ByteStreamServer {
  readonly address: ByteStreamAddress;
  /** Refuses new connections; the projection closes the open ones. */
  close(): Promise<void>;
}

/**
 * Serves the call protocol to programs over TCP or a Unix socket. A byte stream has no handshake that could
 * carry a token, so that each request carries its own, or is anonymous.
 */
export async function listenByteStream(
  projection: CallProjection,
  address: ByteStreamAddress,
): Promise<ByteStreamServer> {
  const server = createServer((socket) => void take(projection, socket));
  try {
    await listen(server, address);
  } catch (error) {
    if (!("path" in address) || !isTaken(error) || !(await isLeftBehind(address.path))) throw error;
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
  const transport = toByteStreamTransport(socket, projection.maxReceivedBytes, projection.unfinished);
  try {
    const { identity } = await projection.gateway().enter();
    const noRoom = projection.noRoomFor(identity);
    if (noRoom) refuse(transport, noRoom.message);
    else projection.accept(transport, { identity, token: undefined });
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

/** A killed process leaves its socket file behind. Other files refuse connections as well, but are not ours. */
async function isLeftBehind(path: string): Promise<boolean> {
  if (!(await lstat(path)).isSocket()) return false;
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}
