import type { CapabilityProvider, Log } from "../../core/index.ts";

/** The name under which a capability holds the token for a peer. */
export const TOKEN = "token";

/** How a peer is imported. */
export interface PeerSourceOptions {
  /** The name of the source, and what stands before the names of its operations. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Where it takes WebSockets. */
  readonly url: URL;
  /** What this node presents when it connects; what the peer shows to it is what is imported. */
  readonly token?: string | undefined;
  /** The token by which a principal's calls are made, where that is another one. */
  readonly capabilities?: CapabilityProvider | undefined;
  /** Patterns of the peer's own names that callers may reach from outside; the rest is for composition only. */
  readonly external: readonly string[];
  readonly scopes: readonly string[];
  readonly public: boolean;
  /** How long one call may take. */
  readonly timeoutMs: number;
  /** How often the whole list is read again, beside what the peer tells of changes. */
  readonly refreshMs: number;
  /** Whether the address may lie on this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** The id of this node. */
  readonly nodeId: string;
  readonly log: Log;
}
