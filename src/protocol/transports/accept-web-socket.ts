import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { CALL_PROTOCOL, MAX_ENVELOPE_BYTES, type Transport } from "../index.ts";
import { MAX_BYTES_HEADER } from "./max-bytes-header.ts";
import type { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";
import { toWsTransport } from "./ws-transport.ts";

/** Options of a WebSocket acceptor. */
export interface AcceptOptions {
  readonly maxEnvelopeBytes?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Counter of unfinished envelopes. */
  readonly unfinished?: UnfinishedEnvelopes | undefined;
}

/** An authenticated upgrade. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Finishes the handshake of an upgrade; an invalid request is answered with 400. */
export type AcceptWebSocket = (upgrade: Upgrade, onOpen: (transport: Transport) => void) => void;

/** Accepts WebSockets of the call protocol. Other offered subprotocols, such as a token, are never echoed. */
export function createWebSocketAcceptor(options: AcceptOptions = {}): AcceptWebSocket {
  const { maxEnvelopeBytes = MAX_ENVELOPE_BYTES, heartbeatMs, unfinished } = options;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxEnvelopeBytes,
    handleProtocols: (offered) => (offered.has(CALL_PROTOCOL) ? CALL_PROTOCOL : false),
  });
  server.on("headers", (headers) => headers.push(`${MAX_BYTES_HEADER}: ${maxEnvelopeBytes}`));
  return ({ request, socket, head }, onOpen) =>
    server.handleUpgrade(request, socket, head, (webSocket) =>
      onOpen(toWsTransport({ webSocket, socket, heartbeatMs, unfinished })),
    );
}
