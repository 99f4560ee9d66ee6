import { type CloseReason, MAX_ENVELOPE_BYTES } from "../index.ts";

/** Smaller envelopes are bounded by the number of connections. */
const SMALLEST = 16_384;

const MOST = 64 * 1024 * 1024;

/** A connection with an unfinished envelope. */
interface Arriving {
  readonly bytes: number;
  readonly cut: (reason: CloseReason) => void;
}

/**
 * The envelopes that are coming in and not whole yet, on all connections together. They cost memory before anyone has been asked
 * who sends them. If they are too much, the oldest is dropped: honest senders finish soon.
 */
export class UnfinishedEnvelopes {
  readonly #most: number;
  /** The one that began first comes first. */
  readonly #arriving = new Map<object, Arriving>();
  #bytes = 0;

  /** Room for two of the largest envelopes at least. */
  constructor(most: number = MOST, largest: number = MAX_ENVELOPE_BYTES) {
    this.#most = Math.max(most, 2 * largest);
  }

  /** Total bytes of unfinished envelopes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the bytes of a connection's unfinished envelope; 0 once it is complete or the connection is closed. */
  waiting(connection: object, bytes: number, cut: Arriving["cut"]): void {
    this.#bytes -= this.#arriving.get(connection)?.bytes ?? 0;
    if (bytes < SMALLEST) {
      this.#arriving.delete(connection);
      return;
    }
    this.#bytes += bytes;
    this.#arriving.set(connection, { bytes, cut });
    for (const [oldest, { bytes: held, cut: end }] of this.#arriving) {
      if (this.#bytes <= this.#most) return;
      this.#arriving.delete(oldest);
      this.#bytes -= held;
      end(GIVES_WAY);
    }
  }
}

const GIVES_WAY: CloseReason = {
  code: "stalled",
  message: "This node has no room for so many unfinished envelopes. Connect again and send it faster.",
};
