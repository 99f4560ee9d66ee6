import type { CallLimits, Identity } from "../model/index.ts";
import { CallError } from "../model/index.ts";
import { isPromiseLike } from "./lifetime.ts";

/** Admits calls from outside within the limits of their principals. */
export interface Limits {
  /** Returns a function that ends the call's share. Rejects with RATE_LIMITED and the time to wait. */
  enter(principal: Identity, signal: AbortSignal): (() => void) | Promise<never>;
}

/** Limits whose counts survive a change of the defaults. */
export interface LastingLimits extends Limits {
  /** The same counts under other defaults: running calls still count, unless they began without limits. */
  under(defaults: CallLimits): LastingLimits;
}

/**
 * Admits a request that is not a call, such as a list of tools, within the same limits. Clients send several such
 * requests in a row before their first call, so one too many waits for up to a second before it is refused.
 */
export async function takeTurn(
  limits: Limits | undefined,
  principal: Identity,
  signal: AbortSignal,
): Promise<() => void> {
  if (!limits) return UNLIMITED;
  try {
    return await limits.enter(principal, signal);
  } catch (error) {
    const { retryAfterMs } = (error as CallError).details as { retryAfterMs: number };
    if (signal.aborted || retryAfterMs > LONGEST_HOLD_MS) throw error;
    await SYSTEM_CLOCK.wait(retryAfterMs, signal);
    return limits.enter(principal, signal);
  }
}

/** Counts a request before it is known what it asks for; its share is taken later, once, and a refusal thrown then. */
export async function takeShare(
  limits: Limits | undefined,
  principal: Identity,
  signal: AbortSignal,
): Promise<{ readonly take: () => (() => void) | undefined; readonly isRefused: boolean }> {
  try {
    let share = await limits?.enter(principal, signal);
    const take = () => {
      const taken = share;
      share = undefined;
      return taken;
    };
    return { take, isRefused: false };
  } catch (error) {
    const take = () => {
      throw error;
    };
    return { take, isRefused: true };
  }
}

/** The handlers that run for one call from outside: its own, and those of everything that it composes. */
export class RunningHandlers {
  #count = 0;
  #onEnded: (() => void) | undefined;

  /** Counts work until it has really ended, whether or not anyone still waits for it. */
  add(work: unknown): void {
    if (!isPromiseLike(work)) return;
    this.#count++;
    const ended = () => {
      if (--this.#count === 0) this.#onEnded?.();
    };
    work.then(ended, ended);
  }

  /** Calls back once, when no handler runs; answers whether that was at once. */
  whenEnded(callback: () => void): boolean {
    if (this.#count === 0) callback();
    else {
      this.#onEnded = () => {
        this.#onEnded = undefined;
        callback();
      };
    }
    return this.#onEnded === undefined;
  }
}

/** Time after which a handler that outlives its call is reported. */
const OUTLIVED_MS = 60_000;

/** Ends a share of the limits when all handlers of the call have ended: a caller that leaves early keeps its share until then. */
export function releaseWhenEnded(
  handlers: RunningHandlers,
  release: () => void,
  onOutlived: () => void,
): void {
  let reminder: ReturnType<typeof setTimeout> | undefined;
  const ended = handlers.whenEnded(() => {
    clearTimeout(reminder);
    release();
  });
  if (ended) return;
  reminder = setTimeout(onOutlived, OUTLIVED_MS);
  // A timer must not keep the process alive; browsers have no unref.
  reminder.unref?.();
}

/** The clock of the limits; a test brings its own. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Refusals per second that are answered at once; further ones are delayed. */
const PROMPT_REFUSALS = 10;
/** Seconds after which refusals are forgotten, however many there were. */
const FORGOTTEN_AFTER_S = 10;
const LONGEST_HOLD_MS = 1_000;
/** Maximum delayed refusals of one principal, to bound memory. */
const MAX_HELD = 1_000;
/** Above this many principals, idle ones are forgotten. */
const MAX_REMEMBERED = 10_000;

interface Share {
  running: number;
  /** Calls that may begin now; grows with time up to what one second allows. */
  left: number;
  countedAt: number;
  refusals: number;
  held: number;
}

/** Counts the calls of every principal. Defaults hold for principals without limits of their own. */
export function createLimits(defaults: CallLimits, clock: Clock = SYSTEM_CLOCK): LastingLimits {
  return limitsOver(new Map(), defaults, clock);
}

function limitsOver(shares: Map<string, Share>, defaults: CallLimits, clock: Clock): LastingLimits {
  function shareOf({ id }: Identity, rate: number): Share {
    const now = clock.now();
    let share = shares.get(id);
    if (!share) {
      if (shares.size >= MAX_REMEMBERED) forgetResting(shares, now);
      share = { running: 0, left: burstOf(rate), countedAt: now, refusals: 0, held: 0 };
      shares.set(id, share);
    }
    const seconds = (now - share.countedAt) / 1_000;
    // Zero seconds times an infinite rate is NaN, and no later limit would hold.
    share.left =
      rate === Number.POSITIVE_INFINITY ? rate : Math.min(burstOf(rate), share.left + seconds * rate);
    share.refusals = Math.max(0, share.refusals - seconds * PROMPT_REFUSALS);
    share.countedAt = now;
    return share;
  }

  function refuse(share: Share, error: CallError, signal: AbortSignal): Promise<never> {
    const { retryAfterMs } = error.details as { retryAfterMs: number };
    share.refusals = Math.min(share.refusals + 1, FORGOTTEN_AFTER_S * PROMPT_REFUSALS);
    const hold = share.refusals > PROMPT_REFUSALS && share.held < MAX_HELD;
    if (!hold) return Promise.reject(error);
    // Refusing costs work too, so callers that retry without waiting are slowed down.
    const longest = Math.min(LONGEST_HOLD_MS, Math.max(retryAfterMs, LONGEST_HOLD_MS / 4));
    // Spread out, so that callers refused together do not retry together.
    const spread = 1 - (share.held++ % 16) / 32;
    return clock.wait(longest * spread, signal).then(() => {
      share.held--;
      throw error;
    });
  }

  return {
    under: (others) => limitsOver(shares, others, clock),
    enter(principal, signal) {
      const { callsPerSecond = Number.POSITIVE_INFINITY, concurrent = Number.POSITIVE_INFINITY } = {
        ...defaults,
        ...principal.limits,
      };
      if (callsPerSecond === Number.POSITIVE_INFINITY && concurrent === Number.POSITIVE_INFINITY) {
        return UNLIMITED;
      }
      const share = shareOf(principal, callsPerSecond);
      if (share.running >= concurrent) return refuse(share, tooManyAtOnce(concurrent), signal);
      if (share.left < 1) return refuse(share, tooFast(callsPerSecond, share.left), signal);
      share.left--;
      share.running++;
      let ended = false;
      return () => {
        if (!ended) share.running--;
        ended = true;
      };
    },
  };
}

const UNLIMITED = () => {};

/** Even a rate below one per second allows a first call. */
function burstOf(rate: number): number {
  return Math.max(1, rate);
}

function forgetResting(shares: Map<string, Share>, now: number): void {
  for (const [id, share] of shares) {
    if (share.running === 0 && share.held === 0 && now - share.countedAt > 60_000) shares.delete(id);
  }
}

function tooFast(rate: number, left: number): CallError {
  const retryAfterMs = Math.ceil(((1 - left) / rate) * 1_000);
  return new CallError(
    "RATE_LIMITED",
    `More calls than the ${rate} a second that are allowed. Nothing was called. Try again in ${retryAfterMs} ms.`,
    { details: { retryAfterMs } },
  );
}

function tooManyAtOnce(concurrent: number): CallError {
  return new CallError(
    "RATE_LIMITED",
    `${concurrent} calls run already, which is as many as are allowed at once. Nothing was called. Try again when one has ended.`,
    { details: { retryAfterMs: 100 } },
  );
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    }),
};
