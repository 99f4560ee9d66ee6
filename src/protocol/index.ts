export { type ConnectPeerOptions, connectPeer, type Peer } from "./connect-peer.ts";
export { type Connection, createConnection } from "./connection.ts";
export { type CallRequest, type EventEnvelope, ProtocolViolation, writeEnvelope } from "./envelope.ts";
export { FrameReader, toFrame } from "./frames.ts";
export {
  addHop,
  type ConnectionLimits,
  CREDIT_WINDOW,
  DEFAULT_LIMITS,
  MAX_ENVELOPE_BYTES,
  MAX_HOPS,
  refuseLoop,
} from "./limits.ts";
export type { OfferedCall, OfferedOperation } from "./offered.ts";
export type { CallOptions } from "./outgoing-calls.ts";
export {
  type CallReport,
  type CloseReason,
  type Receiver,
  type Service,
  SYSTEM_TIMERS,
  type Timers,
  type Transport,
} from "./ports.ts";
export {
  CALL_PROTOCOL,
  connectWebSocket,
  fromCloseFrame,
  toCloseFrame,
  tokenIn,
  toSubprotocols,
  type WebSocketLike,
  type WebSocketOptions,
} from "./web-socket.ts";
