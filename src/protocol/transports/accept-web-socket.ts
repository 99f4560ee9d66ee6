// Apart from ws-transport.ts: what the package declares must not need the types of ws, which programs do not have.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { CALL_PROTOCOL, MAX_ENVELOPE_BYTES, type Transport } from "../index.ts";
import type { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";
import { toWsTransport } from "./ws-transport.ts";

/** Options of a WebSocket acceptor. */
interface AcceptOptions {
  readonly maxEnvelopeBytes?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Counter of unfinished envelopes. */
  readonly unfinished?: UnfinishedEnvelopes | undefined;
}

/** An authenticated upgrade. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Finishes the handshake of an upgrade; an invalid request is answered with 400. */
type AcceptWebSocket = (upgrade: Upgrade, onOpen: (transport: Transport) => void) => void;

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

/** Header of the upgrade response with the largest envelope. */
export const MAX_BYTES_HEADER = "Pinhole-Max-Envelope-Bytes";

/** The value of that header; undefined if missing or invalid. */
export function maxBytesIn(headers: NodeJS.Dict<string | string[]>): number | undefined {
  const said = headers[MAX_BYTES_HEADER.toLowerCase()];
  return typeof said === "string" && /^[1-9]\d{0,9}$/.test(said)
    ? Math.min(Number(said), MAX_ENVELOPE_BYTES)
    : undefined;
}
