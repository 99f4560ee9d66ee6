import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** A server that takes connections and never says a word. */
export interface Silence {
  /** Where an MCP server could be. */
  readonly url: string;
  /** Settles when the first connection comes. */
  readonly visited: Promise<unknown>;
}

/** Starts one that ends with the test. */
export async function serveSilence(t: TestContext): Promise<Silence> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  const visited = once(server, "connection");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, visited };
}
