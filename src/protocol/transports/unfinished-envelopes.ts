import { type CloseReason, MAX_ENVELOPE_BYTES } from "../index.ts";

/** What is smaller than this is bounded by how many connections there may be. */
const SMALLEST = 16_384;

const MOST = 64 * 1024 * 1024;

/** One connection on which an envelope is coming in. */
interface Arriving {
  readonly bytes: number;
  readonly cut: (reason: CloseReason) => void;
}

/**
 * The envelopes that are coming in and not whole yet, on all connections together. They cost memory before anyone has been asked
 * who sends them. Where they are too much, the one that has taken longest gives way: those who mean it are soon done.
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

  /** How many bytes wait in all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So many bytes wait on a connection for the rest of their envelope; none where that is whole, or the connection gone. */
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
