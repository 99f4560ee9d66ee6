/** `pinhole/client`: calls a gateway over one lasting connection, from a program or a page. */
export { type BatchEnvelope, CallError, type CallErrorJson, type Envelope, type Log } from "./core/index.ts";
export {
  type CallOptions,
  type CloseReason,
  type ConnectPeerOptions,
  connectPeer,
  type OfferedCall,
  type OfferedOperation,
  type Peer,
  type WebSocketLike,
} from "./protocol/index.ts";
