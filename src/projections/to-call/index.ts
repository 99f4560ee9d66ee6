export {
  type CallProjection,
  type CallProjectionOptions,
  type ConnectedPeer,
  createCallProjection,
  type Opener,
} from "./call-projection.ts";
export { type ByteStreamServer, listenByteStream } from "./listen-byte-stream.ts";
export {
  CALL_PATH,
  createUpgradeHandler,
  type Refusal,
  type UpgradeHandler,
  type UpgradeOptions,
} from "./upgrade.ts";
