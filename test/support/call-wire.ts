import {
  type CloseReason,
  FrameReader,
  type Receiver,
  type Transport,
  toFrame,
} from "../../src/protocol/index.ts";

/** An envelope as seen on a wire, before anyone has checked it. */
export interface SeenEnvelope {
  readonly type: string;
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One direction: bytes on their way. */
class Pipe {
  bytes = new Uint8Array(0);
  /** What the bytes hold, where their sender keeps to the protocol. */
  readonly seen: SeenEnvelope[] = [];
  ended: CloseReason | undefined;

  add(more: Uint8Array): void {
    const joined = new Uint8Array(this.bytes.length + more.length);
    joined.set(this.bytes);
    joined.set(more, this.bytes.length);
    this.bytes = joined;
  }

  take(count: number): Uint8Array {
    const taken = this.bytes.subarray(0, count);
    this.bytes = this.bytes.subarray(taken.length);
    return taken;
  }
}

/** One end of a wire. */
export class WireEnd implements Transport {
  readonly #capacity: number;
  readonly #onSent: (envelope: SeenEnvelope) => void;
  readonly #onReceived: (envelope: SeenEnvelope) => void;
  readonly #reader = new FrameReader();
  readonly #out = new Pipe();
  #receiver: Receiver | undefined;
  #other: WireEnd | undefined;
  #isOpen = true;
  #owesDrain = false;

  constructor(options: {
    readonly capacity: number;
    readonly onSent?: (envelope: SeenEnvelope) => void;
    readonly onReceived?: (envelope: SeenEnvelope) => void;
  }) {
    this.#capacity = options.capacity;
    this.#onSent = options.onSent ?? (() => {});
    this.#onReceived = options.onReceived ?? (() => {});
  }

  /** False once either side has closed it and this end knows. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Bytes that have left here and not arrived. */
  get onTheWay(): number {
    return this.#out.bytes.length;
  }

  join(other: WireEnd): void {
    this.#other = other;
    other.#other = this;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  send(text: string): boolean {
    if (this.#isOpen) {
      const seen = JSON.parse(text) as SeenEnvelope;
      this.#onSent(seen);
      this.#out.seen.push(seen);
      this.#out.add(toFrame(text));
    }
    this.#owesDrain = this.#out.bytes.length > this.#capacity;
    return !this.#owesDrain;
  }

  /** What a peer that keeps to nothing sends. */
  sendRaw(bytes: Uint8Array): void {
    if (this.#isOpen) this.#out.add(bytes);
  }

  close(reason: CloseReason): void {
    this.#isOpen = false;
    this.#out.ended ??= reason;
  }

  /** Hands up to so many bytes over to the other end. */
  deliver(count: number): void {
    const other = this.#other;
    if (!other) return;
    const chunk = this.#out.take(count);
    if (other.#isOpen && chunk.length > 0) other.#take(chunk);
    if (this.#owesDrain && this.#isOpen && this.#out.bytes.length <= this.#capacity) {
      this.#owesDrain = false;
      this.#receiver?.drained();
    }
    if (this.#out.ended && this.#out.bytes.length === 0) other.#lose(this.#out.ended);
  }

  /** The wire breaks: nothing arrives from now on. This end knows at once, the other when it listens again. */
  cut(): void {
    const reason: CloseReason = { code: "lost", message: "The wire broke." };
    this.#out.bytes = new Uint8Array(0);
    this.#out.ended ??= reason;
    if (this.#other) this.#other.#out.bytes = new Uint8Array(0);
    this.#lose(reason);
  }

  get #arriving(): Pipe | undefined {
    return this.#other ? this.#other.#out : undefined;
  }

  #take(chunk: Uint8Array): void {
    try {
      for (const bytes of this.#reader.push(chunk)) {
        if (!this.#isOpen) return;
        const seen = this.#arriving?.seen.shift() ?? seenIn(bytes);
        if (seen) this.#onReceived(seen);
        this.#receiver?.message(bytes);
      }
    } catch (error) {
      // As every transport does with a length that cannot be.
      if (!(error instanceof Error) || error.name !== "ProtocolViolation") throw error;
      this.#lose({ code: "protocol", message: error.message });
    }
  }

  #lose(reason: CloseReason): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#receiver?.closed(reason);
    this.#out.ended ??= reason;
  }
}

/** Two ends that are joined. */
export function joinWires(left: WireEnd, right: WireEnd): void {
  left.join(right);
}

function seenIn(bytes: Uint8Array): SeenEnvelope | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as SeenEnvelope;
  } catch {
    return undefined;
  }
}
