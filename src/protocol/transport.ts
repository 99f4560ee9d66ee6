/** Why a connection is over. */
export interface CloseReason {
  /**
   * `closed`: one side wished it. `leaving`: one side stops serving; connect again later. `protocol`: the
   * other side broke the protocol. `flooded`: it sent too much that nothing asked for. `stalled`: it took nothing off
   * the wire. `lost`: the wire broke.
   */
  readonly code: "closed" | "leaving" | "protocol" | "flooded" | "stalled" | "lost";
  /** One sentence for people. */
  readonly message: string;
}

/** Who is told what a transport brings. */
export interface Receiver {
  /** One whole envelope, as it came. */
  message(bytes: Uint8Array): void;
  /** There is room again, after a `send` that answered false. */
  drained(): void;
  /** The wire is gone; nothing follows. */
  closed(reason: CloseReason): void;
}

/** What carries envelopes: in order, whole, until it closes. */
export interface Transport {
  /** The largest envelope that the other side takes, where it has said so. */
  readonly maxSentBytes?: number | undefined;
  /** Called once, before anything else. What came in before is told then. */
  open(receiver: Receiver): void;
  /** Sends one envelope. False: it is taken, but more should wait until the receiver is told `drained`. */
  send(text: string): boolean;
  /** Sends what was taken before, says why where the wire can carry that, and closes. */
  close(reason: CloseReason): void;
}
