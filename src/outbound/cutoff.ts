/** Limits that end a request early. */
export interface CutoffOptions {
  readonly signal: AbortSignal | undefined;
  /** By `performance.now()`. */
  readonly deadline: number | undefined;
}

/** Reason why a request ended early. */
export type Cut = "signal" | "deadline" | "silence";

/** The longest delay of a timer; above it, timers fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Watches the signal, the deadline and the silences of one request until it ends. */
export class Cutoff {
  readonly #options: CutoffOptions;
  readonly #onAbort: () => void;
  readonly #onSilence: () => void;
  readonly #deadline: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CutoffOptions, cut: (by: Cut) => void) {
    this.#options = options;
    this.#onAbort = () => cut("signal");
    this.#onSilence = () => cut("silence");
    const { signal, deadline } = options;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (deadline !== undefined) {
      const remaining = Math.min(Math.max(deadline - performance.now(), 0), LONGEST_TIMER_MS);
      this.#deadline = setTimeout(() => cut("deadline"), remaining);
    }
  }

  /** The reason to end a request before it begins, if there is one. */
  static already({ signal, deadline }: CutoffOptions): Cut | undefined {
    if (signal?.aborted) return "signal";
    return deadline !== undefined && deadline <= performance.now() ? "deadline" : undefined;
  }

  /** Starts the timer for silence. */
  listen(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.#onSilence, silenceMs);
  }

  /** Restarts the timer for silence. */
  heard(): void {
    this.#silence?.refresh();
  }

  /** Stops the timer for silence. */
  rest(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Stops all timers and listeners. */
  end(): void {
    this.rest();
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }
}
