export { createWebSocketAcceptor, MAX_BYTES_HEADER } from "./accept-web-socket.ts";
export { toByteStreamTransport } from "./byte-stream.ts";
export { type ByteStreamAddress, connectByteStream, connectWs } from "./connect.ts";
export { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";
