import type { ConnectionLimits } from "./limits.ts";
import type { Timers, Transport } from "./ports.ts";

/** Options of an outbox. */
interface OutboxOptions {
  readonly transport: Transport;
  readonly timers: Timers;
  readonly limits: Pick<ConnectionLimits, "stalledMs" | "maxWaitingBytes">;
  /** Told once, with a sentence, when the other side takes too little off the wire. */
  readonly onStalled: (message: string) => void;
}

/**
 * Queue of outgoing envelopes. Requests, answers and items wait until the transport has space;
 * small envelopes (errors, aborts, credit) go at once, and may pile up only so far.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** Senders that wait for space, in order. */
  readonly #waiting = new Set<() => void>();
  #hasRoom = true;
  #open = true;
  #piledUp = 0;
  #stallTimer: unknown;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#hasRoom;
  }

  /** Number of waiting senders. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Hands an envelope to the transport, room or not. */
  send(text: string): void {
    if (!this.#open) return;
    const { transport, timers, limits, onStalled } = this.#options;
    const room = transport.send(text);
    if (this.#hasRoom) {
      if (room) return;
      this.#hasRoom = false;
      this.#piledUp = 0;
      this.#stallTimer = timers.start(
        () => onStalled(`Nothing was taken off the wire for ${limits.stalledMs} ms.`),
        limits.stalledMs,
      );
      return;
    }
    this.#piledUp += text.length;
    if (this.#piledUp > limits.maxWaitingBytes) {
      onStalled("More has been asked than answers were taken off the wire.");
    }
  }

  /** Runs once there is room; the answer takes that back. */
  whenRoom(run: () => void): () => void {
    if (this.#open) this.#waiting.add(run);
    return () => this.#waiting.delete(run);
  }

  /** Resumes waiting senders while the transport has space. */
  drained(): void {
    if (!this.#open || this.#hasRoom) return;
    this.#hasRoom = true;
    this.#options.timers.stop(this.#stallTimer);
    for (const run of this.#waiting) {
      if (!this.#hasRoom) return;
      this.#waiting.delete(run);
      run();
    }
  }

  /** Stops sending and drops waiting senders. */
  close(): void {
    this.#open = false;
    this.#options.timers.stop(this.#stallTimer);
    this.#waiting.clear();
  }
}
