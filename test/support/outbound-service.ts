import assert from "node:assert/strict";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import {
  createOutbound,
  OutboundError,
  type OutboundErrorKind,
  type OutboundOptions,
} from "../../src/outbound/index.ts";

/** A service over HTTP and a client for it; both end with the test. */
export async function serve(t: TestContext, listener: RequestListener, options: OutboundOptions = {}) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound({ allowPrivate: true, ...options });
  t.after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });
  return { outbound, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A service that writes bytes as it likes, and a client for it. */
export async function serveBytes(
  t: TestContext,
  onSocket: (socket: Socket) => void,
  options: OutboundOptions = {},
) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound({ allowPrivate: true, ...options });
  t.after(async () => {
    await outbound.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { outbound, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Whether an error is an OutboundError of that kind, and tells no secret. */
export function failsWith(kind: OutboundErrorKind, mayHaveRun = true): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof OutboundError, String(error));
    assert.deepEqual([error.kind, error.mayHaveRun], [kind, mayHaveRun], error.message);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  };
}

/** Sends the beginning of an answer and leaves it open. */
export function begin(response: ServerResponse, type: string, chunk: string): void {
  response.writeHead(200, { "content-type": type });
  response.write(chunk);
}
