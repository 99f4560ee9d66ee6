import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Runtime, type RuntimeOptions } from "pinhole/core";
import {
  CALL_PATH,
  type CallProjection,
  type CallProjectionOptions,
  type ConnectedPeer,
  createCallProjection,
  createUpgradeHandler,
  listenByteStream,
  type UpgradeOptions,
} from "../../src/projections/to-call/index.ts";
import { connectWebSocket, type Transport } from "../../src/protocol/index.ts";
import { type ByteStreamAddress, connectByteStream, connectWs } from "../../src/protocol/transports/index.ts";

/** A node that serves a runtime on every transport of the call protocol. */
export interface CallNode {
  readonly runtime: Runtime;
  readonly projection: CallProjection;
  readonly url: string;
  readonly tcp: ByteStreamAddress & { readonly port: number };
  readonly unix: ByteStreamAddress & { readonly path: string };
  /** The next connection that comes in. */
  nextPeer(): Promise<ConnectedPeer>;
  close(): Promise<void>;
}

/** What a node can be told. */
export interface CallNodeOptions extends RuntimeOptions {
  readonly call?: Pick<
    Partial<CallProjectionOptions>,
    | "nodeId"
    | "limits"
    | "maxUnfinishedBytes"
    | "maxConnections"
    | "maxConnectionsOf"
    | "anonymous"
    | "idleMs"
  >;
  readonly upgrade?: UpgradeOptions;
}

/** Starts one on free ports. */
export async function startCallNode(options: CallNodeOptions = {}): Promise<CallNode> {
  const { call, upgrade, ...rest } = options;
  const runtime = createRuntime(rest);
  const waiting: ((peer: ConnectedPeer) => void)[] = [];
  const projection = createCallProjection({
    gateway: () => runtime.gateway,
    anonymous: () => runtime.registry.snapshot().policy.anonymous,
    nodeId: randomUUID(),
    onConnected: (peer) => waiting.shift()?.(peer),
    ...(rest.log && { log: rest.log }),
    ...call,
  });
  const server = createServer((_request, response) => void response.writeHead(404).end());
  const upgradeTo = createUpgradeHandler(projection, upgrade);
  server.on("upgrade", (request, socket, head) => void upgradeTo(request, socket, head));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const path = join(tmpdir(), `pinhole-${randomUUID().slice(0, 8)}.sock`);
  const [tcp, unix] = await Promise.all([
    listenByteStream(projection, { host: "127.0.0.1", port: 0 }),
    listenByteStream(projection, { path }),
  ]);
  return {
    runtime,
    projection,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${CALL_PATH}`,
    tcp: tcp.address as CallNode["tcp"],
    unix: unix.address as CallNode["unix"],
    nextPeer: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      await projection.close(0);
      await Promise.all([tcp.close(), unix.close()]);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Every way to connect to a node. */
export const WAYS: Readonly<Record<string, (node: CallNode) => Promise<Transport>>> = {
  "a WebSocket of Node": (node) => connectWs(node.url),
  "a WebSocket as browsers have it": (node) => connectWebSocket(node.url),
  TCP: (node) => connectByteStream(node.tcp),
  "a Unix socket": (node) => connectByteStream(node.unix),
};
