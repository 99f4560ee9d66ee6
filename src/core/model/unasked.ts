/** Unasked messages that one connection may send: per second, and in one burst. */
const PER_SECOND = 1_000;
const AT_ONCE = 2_000;
/** A message of more bytes counts as several. */
const BYTES_EACH = 4_096;

/** Cap on expected late answers. */
const MOST_EXPECTED = 100_000;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Time without a flood after which the next pause is short again. */
const FORGIVEN_MS = 600_000;

/** The reason of a cut connection, as the predicate of a sentence about the other side. */
export const FLOODED = `sent more than ${PER_SECOND} unasked messages a second`;

/** Counts the messages of one connection that were not asked for. */
export class UnaskedMessages {
  readonly #now: () => number;
  #left = AT_ONCE;
  #expected = 0;
  #at: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** Counts one message; false if the connection must be cut. */
  take(bytes: number): boolean {
    if (this.#expected > 0) {
      this.#expected--;
      return true;
    }
    const now = this.#now();
    this.#left = Math.min(AT_ONCE, this.#left + ((now - this.#at) / 1_000) * PER_SECOND);
    this.#at = now;
    this.#left -= 1 + bytes / BYTES_EACH;
    return this.#left >= 0;
  }

  /** Exempts this many late answers to abandoned calls. */
  expect(messages: number): void {
    this.#expected = Math.min(MOST_EXPECTED, this.#expected + messages);
  }
}

/** Pause before a source that flooded its connections is connected to again: longer each time. */
export class FloodPause {
  #lastMs = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** Notes that it flooded a connection. */
  begin(): void {
    const now = performance.now();
    // Several connections to it are cut at about the same time.
    if (now < this.#until) return;
    const isForgiven = now - this.#until > FORGIVEN_MS;
    this.#lastMs = isForgiven ? FIRST_PAUSE_MS : Math.min(this.#lastMs * 2, LONGEST_PAUSE_MS);
    this.#until = now + this.#lastMs;
  }

  /** The reason not to connect now, as the rest of a sentence; undefined if the pause is over. */
  reason(): string | undefined {
    const left = this.#until - performance.now();
    if (left <= 0) return undefined;
    return `it ${FLOODED}; the connection was cut, and is tried again in ${Math.ceil(left / 1_000)} s`;
  }
}
