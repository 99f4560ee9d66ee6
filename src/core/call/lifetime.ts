import { CallError, LONGEST_TIMER_MS } from "../model/index.ts";

/** Limits of a lifetime. */
interface LifetimeOptions {
  /** Aborts when the caller goes away, or the composing call ends. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** By `performance.now()`, because a change of the system clock must not end a call. */
  readonly deadline: number | undefined;
  /** The call that this one is a part of. */
  readonly above?: Lifetime | undefined;
}

/** The lifetime of one call: it ends with the work, with an abort or at the deadline. */
export class Lifetime {
  /** By `performance.now()`. */
  readonly deadline: number | undefined;
  readonly #above: Lifetime | undefined;
  readonly #signals: readonly AbortSignal[];
  readonly #onAbort = () => this.#cut(abortReason(this.#signals));
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  /** Made on first use: many handlers never look at their signal. */
  #controller: AbortController | undefined;
  #cutBy: CallError | undefined;
  /** Rejects what is being waited for. */
  #waiting: Set<(reason: CallError) => void> | undefined;

  constructor(options: LifetimeOptions) {
    this.deadline = options.deadline;
    this.#above = options.above;
    this.#signals = options.signals.filter((signal) => signal !== undefined);
    for (const signal of this.#signals) {
      if (signal.aborted) this.#cut(abortReason(this.#signals));
      else signal.addEventListener("abort", this.#onAbort, { once: true });
    }
    if (this.deadline !== undefined && !this.#cutBy) {
      const remaining = this.deadline - performance.now();
      if (remaining <= 0) this.#cut(timeout());
      else this.#timer = setTimeout(() => this.#cut(timeout()), Math.min(remaining, LONGEST_TIMER_MS));
    }
  }

  /** Aborts when the call is cut short; its reason is a CallError. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#cutBy) this.#controller.abort(this.#cutBy);
    }
    return this.#controller.signal;
  }

  /** The deadline in milliseconds since the epoch, as the clock is set now. */
  get deadlineByClock(): number | undefined {
    return this.deadline === undefined
      ? undefined
      : Math.round(Date.now() + this.deadline - performance.now());
  }

  /** The reason why the call was cut short, if it was. */
  get cutBy(): CallError | undefined {
    return this.#cutBy;
  }

  /** The reason why this call, or one above it, was cut short: nothing new starts then, even if the call itself runs on. */
  get isOverBy(): CallError | undefined {
    return this.cutBy ?? this.#above?.isOverBy;
  }

  /** To be asked before something starts. */
  throwIfOver(): void {
    const reason = this.isOverBy;
    if (reason) throw reason;
  }

  /** Waits for work, but not longer than the call lives; late results and failures are dropped. */
  async within<Result>(work: Result | PromiseLike<Result>): Promise<Result> {
    if (!isPromiseLike(work)) {
      if (this.#cutBy) throw this.#cutBy;
      return work;
    }
    return new Promise<Result>((resolve, reject) => {
      if (this.#cutBy) reject(this.#cutBy);
      this.#waiting ??= new Set();
      const waiting = this.#waiting.add(reject);
      work.then(
        (result) => {
          waiting.delete(reject);
          resolve(result);
        },
        (error) => {
          waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  /** Ends the call because its consumer dropped it. */
  abort(): void {
    this.#cut(aborted());
    this.end();
  }

  /** Clears the timer and listeners; work that the handler started may go on. */
  end(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#onAbort);
  }

  #cut(reason: CallError): void {
    if (this.#cutBy) return;
    this.#cutBy = reason;
    this.#controller?.abort(reason);
    for (const reject of this.#waiting ?? []) reject(reason);
  }
}

/** Remaining milliseconds of a call; undefined if it has no deadline. */
export function timeLeft({ deadline }: { readonly deadline: number | undefined }): number | undefined {
  return deadline === undefined ? undefined : Math.max(0, deadline - Date.now());
}

/** TIMEOUT and SLOW_CONSUMER of the parent end the child for the same reason; anything else is an abort. */
function abortReason(signals: readonly AbortSignal[]): CallError {
  const reason = signals.find((signal) => signal.aborted)?.reason;
  if (reason instanceof CallError && reason.code === "SLOW_CONSUMER") return reason;
  const timedOut = reason instanceof CallError ? reason.code === "TIMEOUT" : isTimeoutError(reason);
  return timedOut ? timeout() : aborted();
}

function isTimeoutError(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}

/** True for promises and whatever else has a `then`. */
export function isPromiseLike<Result>(work: Result | PromiseLike<Result>): work is PromiseLike<Result> {
  return typeof work === "object" && work !== null && "then" in work && typeof work.then === "function";
}

function timeout(): CallError {
  return new CallError(
    "TIMEOUT",
    "The call did not finish before its deadline. It may have had effects: check before you repeat a mutation, or allow more time.",
  );
}

function aborted(): CallError {
  return new CallError("ABORTED", "The call was aborted because its caller went away.");
}
