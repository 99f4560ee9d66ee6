/** Reason of the end of a connection. */
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

/** Callbacks of a transport. */
export interface Receiver {
  /** One whole envelope, as it came. */
  message(bytes: Uint8Array): void;
  /** There is room again, after a `send` that answered false. */
  drained(): void;
  /** The wire is gone; nothing follows. */
  closed(reason: CloseReason): void;
}

/** Carries envelopes: in order, whole, until it closes. */
export interface Transport {
  /** The largest envelope that the other side accepts, if it has said so. */
  readonly maxSentBytes?: number | undefined;
  /** Called once, before anything else. Delivers envelopes that arrived earlier. */
  open(receiver: Receiver): void;
  /** Sends one envelope. False: it is taken, but more should wait until the receiver is told `drained`. */
  send(text: string): boolean;
  /** Flushes, sends the reason if the transport can carry it, and closes. */
  close(reason: CloseReason): void;
}
