export { toByteStreamTransport } from "./byte-stream.ts";
export { type ByteStreamAddress, connectByteStream, connectWs } from "./connect.ts";
export { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";
export { createWebSocketAcceptor, MAX_BYTES_HEADER } from "./ws-transport.ts";
