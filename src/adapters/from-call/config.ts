import { EVERY_KIND, REMOTE, type SourceOf } from "../../config/index.ts";

/** Keys of a source of the kind peer. */
export const PEER_KEYS = {
  peer: {
    type: "string",
    pattern: "^wss?://",
    description: "Address of another Pinhole node, such as wss://west.example.com/call-protocol.",
    advice: "Write the whole address, such as wss://west.example.com/call-protocol.",
  },
  ...REMOTE,
  ...EVERY_KIND,
} as const;

/** A source of the kind peer, as the config has it. */
export type PeerConfig = SourceOf<"peer", typeof PEER_KEYS>;
