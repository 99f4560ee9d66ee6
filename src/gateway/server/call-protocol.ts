import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { dirname, resolve } from "node:path";
import { type Config, ConfigError, hostAndPort } from "../../config/index.ts";
import { type Log, messageOf } from "../../core/index.ts";
import {
  type ByteStreamServer,
  type ConnectedPeer,
  createCallProjection,
  createUpgradeHandler,
  listenByteStream,
  type Refusal,
  type UpgradeHandler,
} from "../../projections/to-call/index.ts";
import { createNameGuard, type GuardOptions } from "./guard.ts";
import { RECHECK_MS } from "./reauthorized-streams.ts";
import type { Serving } from "./serving.ts";

/** Options of the call protocol. */
interface CallProtocolOptions extends GuardOptions {
  readonly serving: () => Serving;
  readonly nodeId: string;
  readonly log: Log;
  /** Size of the largest envelope, as of the largest body. */
  readonly maxBodyBytes: number;
  readonly callProtocol: Config["server"]["callProtocol"];
  /** Base of relative paths. */
  readonly directory: string;
  /** Refused callers are not told that there is a gateway. */
  readonly hidden?: boolean;
  readonly onConnected: (peer: ConnectedPeer) => void;
  readonly onOfferRevoked: (connection: string) => void;
}

/** The endpoint for nodes, programs and pages that speak the call protocol. */
interface CallProtocol {
  /** For the HTTP server. */
  readonly upgrade: UpgradeHandler;
  /** Listens for byte streams where the config wants that; throws a ConfigError where it cannot. */
  listen(): Promise<void>;
  /** Ends connections whose callers would not be authenticated again. */
  recheck(): Promise<void>;
  /** Refuses new callers, lets running calls finish for so long, then closes all connections. */
  close(graceMs: number): Promise<void>;
}

/** Serves the call protocol. The rules in force hold for each call, whenever its connection was opened. */
export function createCallProtocol(options: CallProtocolOptions): CallProtocol {
  const {
    serving,
    nodeId,
    log,
    callProtocol,
    directory,
    onConnected,
    onOfferRevoked,
    hidden = false,
  } = options;
  const problemOf = createNameGuard(options);
  const projection = createCallProjection({
    gateway: () => serving().gateway,
    // A connection is for nodes and programs, and once there are identities they have one.
    anonymous: () => serving().anonymous && !serving().identitiesConfigured,
    nodeId,
    log,
    limits: { maxReceivedBytes: options.maxBodyBytes },
    maxConnectionsOf: ({ limits }) => limits?.connections ?? serving().maxConnectionsEach,
    onConnected,
    onOfferRevoked,
  });
  const rechecks = setInterval(() => void projection.recheck(), RECHECK_MS).unref();
  const streams: ByteStreamServer[] = [];

  function guard({ headers }: IncomingMessage): Refusal | undefined {
    const message = problemOf(headers.host ?? null, headers.origin ?? null);
    return message === undefined ? undefined : { status: 403, message };
  }

  return {
    upgrade: createUpgradeHandler(projection, { guard, hidden }),
    async listen() {
      const { tcp, unix } = callProtocol;
      const wanted = [
        ...(tcp === undefined ? [] : [{ shown: tcp, address: hostAndPort(tcp) }]),
        ...(unix === undefined ? [] : [{ shown: unix, address: { path: resolve(directory, unix) } }]),
      ];
      for (const { shown, address } of wanted) {
        const stream = await listenByteStream(projection, address).catch((error: unknown) => {
          throw new ConfigError(
            `server.callProtocol: cannot listen on ${shown}: ${whyNoSocket(error, address)}.`,
          );
        });
        streams.push(stream);
        log.info?.("Serves the call protocol as a byte stream", { ...stream.address });
      }
    },
    recheck: () => projection.recheck(),
    async close(graceMs) {
      clearInterval(rechecks);
      const ended = streams.map((stream) => stream.close());
      await projection.close(graceMs);
      await Promise.all(ended);
    },
  };
}

/** The reason why a socket cannot be made. For a missing folder the system only says that it is not permitted. */
export function whyNoSocket(error: unknown, address: object): string {
  const folder = "path" in address ? dirname(String(address.path)) : undefined;
  if (folder !== undefined && !existsSync(folder))
    return `there is no folder ${folder}; make it, or name another`;
  return messageOf(error);
}
