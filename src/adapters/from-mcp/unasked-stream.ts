const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** A stream that lasted this long was no failure. */
const STEADY_MS = 10_000;

/** The stream on which a server of before 2026-07-28 speaks unasked; not every server has one. */
export class UnaskedStream {
  readonly #onLost: () => void;
  #openedAt: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #settle: () => void = () => {};
  /** Settles when it is open, or when it is clear that it is not. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  opened(): void {
    this.#openedAt = performance.now();
    this.#settle();
  }

  /** It could not be opened: no loss where it never was open. */
  failed(): void {
    this.#settle();
    if (this.#openedAt !== undefined) this.#onLost();
  }

  /** How long to wait after its end before it is opened again, so that nobody is asked without pause. */
  pause(): number {
    const isSteady = this.#openedAt !== undefined && performance.now() - this.#openedAt >= STEADY_MS;
    if (isSteady) this.#pauseMs = FIRST_PAUSE_MS;
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(pause * 2, LONGEST_PAUSE_MS);
    return pause;
  }
}
