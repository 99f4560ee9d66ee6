import type { CapabilityProvider } from "../../core/index.ts";
import type { Link } from "./forward.ts";

/** A peer of the config as groups use it, from its first list on. */
export interface Member {
  readonly link: Link;
  readonly isConnected: () => boolean;
  /** Its operations, as it lists them. */
  readonly listed: readonly unknown[];
  /** The names of these operations at this node, by their names at the peer. */
  readonly names: ReadonlyMap<string, string>;
  /** Credentials of callers at the peer. */
  readonly capabilities?: CapabilityProvider | undefined;
  readonly secrets?: (() => readonly string[]) | undefined;
}

/** The peers of one gateway, by the names of their sources. */
export class PeerDirectory {
  readonly #members = new Map<string, Member>();
  readonly #followers = new Set<(name: string) => void>();

  find(name: string): Member | undefined {
    return this.#members.get(name);
  }

  /** Replaces what is known of a peer. The returned function takes it back, unless it was replaced meanwhile. */
  publish(name: string, member: Member): () => void {
    this.#members.set(name, member);
    this.#tell(name);
    return () => {
      if (this.#members.get(name) !== member) return;
      this.#members.delete(name);
      this.#tell(name);
    };
  }

  /** Calls the listener with the name of each peer that comes, changes or goes, until the returned function is called. */
  follow(listener: (name: string) => void): () => void {
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  #tell(name: string): void {
    for (const follower of this.#followers) follower(name);
  }
}
