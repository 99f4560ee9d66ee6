/** What a request may be cut short by. */
export interface CutoffOptions {
  readonly signal: AbortSignal | undefined;
  /** By `performance.now()`. */
  readonly deadline: number | undefined;
}

/** What cut a request short. */
export type Cut = "signal" | "deadline" | "silence";

/** Timers take no more, and fire at once above it. */
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

  /** What would have cut the request before it began. */
  static already({ signal, deadline }: CutoffOptions): Cut | undefined {
    if (signal?.aborted) return "signal";
    return deadline !== undefined && deadline <= performance.now() ? "deadline" : undefined;
  }

  /** Listens for a silence of this length, from now on. */
  listen(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.#onSilence, silenceMs);
  }

  /** Something was heard. */
  heard(): void {
    this.#silence?.refresh();
  }

  /** No longer listens for silence. */
  rest(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Watches nothing any more. */
  end(): void {
    this.rest();
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }
}
