import type { Log, SourceOptions } from "../../core/index.ts";
import type { OutboundTls } from "../../outbound/index.ts";
import type { Member } from "./peer-directory.ts";

/** Options of a peer source. */
export interface PeerSourceOptions extends SourceOptions {
  /** The address of its WebSocket. */
  readonly url: URL;
  /** The token of this node; it decides which operations the peer shows. */
  readonly token?: string | undefined;
  /** Certificates for wss. */
  readonly tls?: OutboundTls | undefined;
  /** Time between two readings of the whole list, besides the changes that the peer reports. */
  readonly refreshMs: number;
  /** The address may be on this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** The id of this node. */
  readonly nodeId: string;
  readonly log: Log;
  /** Told when the peer lists other operations than before. */
  readonly onListed?: (member: Member) => void;
}
