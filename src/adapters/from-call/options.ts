import type { Log, SourceOptions } from "../../core/index.ts";
import type { Member } from "./peer-directory.ts";

/** How a peer is imported. */
export interface PeerSourceOptions extends SourceOptions {
  /** Where it takes WebSockets. */
  readonly url: URL;
  /** What this node presents when it connects; what the peer shows to it is what is imported. */
  readonly token?: string | undefined;
  /** How often the whole list is read again, beside what the peer tells of changes. */
  readonly refreshMs: number;
  /** Whether the address may lie on this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** The id of this node. */
  readonly nodeId: string;
  readonly log: Log;
  /** Told when the peer lists other operations than before. */
  readonly onListed?: (member: Member) => void;
}
