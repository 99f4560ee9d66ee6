import { ProtocolViolation } from "./envelope.ts";
import { MAX_ENVELOPE_BYTES } from "./limits.ts";

const HEADER_BYTES = 4;
const SMALLEST_BUFFER = 1_024;
const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/**
 * An envelope on a byte stream: its length in four bytes, big-endian, then its text. Where there
 * is a cheaper way to come by memory, it can be given.
 */
export function toFrame(
  text: string,
  allocate: (size: number) => Uint8Array = (size) => new Uint8Array(size),
): Uint8Array {
  // UTF-8 has at most three bytes for each unit of a string.
  const frame = allocate(HEADER_BYTES + text.length * 3);
  const { written } = encoder.encodeInto(text, frame.subarray(HEADER_BYTES));
  frame[0] = written >>> 24;
  frame[1] = written >>> 16;
  frame[2] = written >>> 8;
  frame[3] = written;
  return frame.subarray(0, HEADER_BYTES + written);
}

/**
 * Reads frames from a byte stream, however it is cut into chunks. It keeps at most twice
 * the received bytes: a length alone makes it reserve nothing, and many small chunks cost no more than one large.
 */
export class FrameReader {
  readonly #maxBytes: number;
  /** The beginning of a frame that is not whole yet, in a buffer with room for more. */
  #buffer: Uint8Array = NOTHING;
  #size = 0;

  constructor(maxBytes: number = MAX_ENVELOPE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of a frame that is not whole yet. */
  get waiting(): number {
    return this.#size;
  }

  /** The envelopes that are whole now; throws ProtocolViolation for a length that is 0 or too large. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void> {
    let bytes = this.#size === 0 ? chunk : this.#append(chunk);
    this.#size = 0;
    while (bytes.byteLength >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.#lengthOf(bytes);
      if (bytes.byteLength < end) break;
      const envelope = bytes.subarray(HEADER_BYTES, end);
      bytes = bytes.subarray(end);
      // The consumer may keep the envelope, so its memory is not reused.
      this.#buffer = NOTHING;
      yield envelope;
    }
    this.#keep(bytes);
  }

  #lengthOf(bytes: Uint8Array): number {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    if (length === 0) throw new ProtocolViolation("An envelope has no bytes.");
    if (length > this.#maxBytes) {
      throw new ProtocolViolation(`An envelope has ${length} bytes, and ${this.#maxBytes} is the most.`);
    }
    return length;
  }

  #keep(bytes: Uint8Array): void {
    const isKept = bytes.buffer === this.#buffer.buffer && bytes.byteLength > 0;
    this.#size = isKept ? bytes.byteLength : 0;
    if (!isKept && bytes.byteLength > 0) this.#append(bytes);
  }

  #append(chunk: Uint8Array): Uint8Array {
    const size = this.#size + chunk.byteLength;
    if (size > this.#buffer.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#buffer.byteLength, SMALLEST_BUFFER));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#size);
    this.#size = size;
    return this.#buffer.subarray(0, size);
  }
}
