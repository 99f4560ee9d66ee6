export { toByteStreamTransport } from "./byte-stream.ts";
export {
  type ByteStreamAddress,
  type ConnectOptions,
  type ConnectWsOptions,
  connectByteStream,
  connectWs,
} from "./connect.ts";
export { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";
export {
  type AcceptOptions,
  type AcceptWebSocket,
  createWebSocketAcceptor,
  MAX_BYTES_HEADER,
  type Upgrade,
} from "./ws-transport.ts";
