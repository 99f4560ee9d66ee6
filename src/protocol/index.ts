export { fromCloseFrame, toCloseFrame } from "./close-codes.ts";
export { type ConnectPeerOptions, connectPeer, type Peer } from "./connect-peer.ts";
export {
  type Connection,
  type ConnectionOptions,
  createConnection,
  type PendingCounts,
} from "./connection.ts";
export { type CallRequest, type EventEnvelope, writeEnvelope } from "./envelope.ts";
export { FrameReader, toFrame } from "./frames.ts";
export { addHop, MAX_HOPS, refuseLoop } from "./hops.ts";
export { type ConnectionLimits, CREDIT_WINDOW, DEFAULT_LIMITS, MAX_ENVELOPE_BYTES } from "./limits.ts";
export type { OfferedCall, OfferedOperation } from "./offered.ts";
export type { CallOptions } from "./outgoing-calls.ts";
export { ProtocolViolation } from "./protocol-violation.ts";
export type { NameCall, Service } from "./service.ts";
export { SYSTEM_TIMERS, type Timers } from "./timers.ts";
export { CALL_PROTOCOL, tokenIn, toSubprotocols } from "./token-protocol.ts";
export type { CloseReason, Receiver, Transport } from "./transport.ts";
export { connectWebSocket, type WebSocketLike, type WebSocketOptions } from "./web-socket.ts";
