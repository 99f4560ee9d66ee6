/** How many messages a second one connection may send that were not asked for, after so many at once. */
const PER_SECOND = 1_000;
const AT_ONCE = 2_000;
/** A message of more bytes counts as several. */
const BYTES_EACH = 4_096;

/** More than that are not waited for, however much was given up. */
const MOST_EXPECTED = 100_000;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** After so long without a flood the next pause is a short one again. */
const FORGIVEN_MS = 600_000;

/** Why a connection was cut, as the rest of a sentence about who is at the other end. */
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

  /** Counts one. False: there were too many, and the connection is to be cut. */
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

  /** So many may still come in answer to what was given up, and do not count. */
  expect(messages: number): void {
    this.#expected = Math.min(MOST_EXPECTED, this.#expected + messages);
  }
}

/** How long a source that floods its connections is left alone: longer each time. */
export class FloodPause {
  #lastMs = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** It has flooded a connection. */
  begin(): void {
    const now = performance.now();
    // Several connections to it are cut at about the same time.
    if (now < this.#until) return;
    const isForgiven = now - this.#until > FORGIVEN_MS;
    this.#lastMs = isForgiven ? FIRST_PAUSE_MS : Math.min(this.#lastMs * 2, LONGEST_PAUSE_MS);
    this.#until = now + this.#lastMs;
  }

  /** Why it is not connected to now, as the rest of a sentence; undefined where it may be. */
  reason(): string | undefined {
    const left = this.#until - performance.now();
    if (left <= 0) return undefined;
    return `it ${FLOODED}; the connection was cut, and is tried again in ${Math.ceil(left / 1_000)} s`;
  }
}
