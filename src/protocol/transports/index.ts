export {
  type AcceptOptions,
  type AcceptWebSocket,
  createWebSocketAcceptor,
  type Upgrade,
} from "./accept-web-socket.ts";
export { toByteStreamTransport } from "./byte-stream.ts";
export {
  type ByteStreamAddress,
  type ConnectOptions,
  type ConnectWsOptions,
  connectByteStream,
  connectWs,
} from "./connect.ts";
export { MAX_BYTES_HEADER } from "./max-bytes-header.ts";
export { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";
