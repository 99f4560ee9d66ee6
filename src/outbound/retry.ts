import type { OutboundErrorKind } from "./outbound-error.ts";

/** Outcome of an attempt: a response or an error. */
export interface TryOutcome {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly kind?: OutboundErrorKind;
  readonly mayHaveRun?: boolean;
}

/** Facts that decide whether to retry. */
export interface RetryState {
  /** Attempts so far. */
  readonly made: number;
  readonly tries: number;
  /** Sending the request twice does no harm. */
  readonly repeatable: boolean;
  /** True after one wait that the service asked for. */
  readonly hasWaited: boolean;
  /** Duration of the last attempt in milliseconds, as an estimate of the next. */
  readonly tookMs: number;
  /** Milliseconds until the deadline, if there is one. */
  readonly remainingMs: number | undefined;
  /** Between 0 and 1. */
  readonly random: number;
}

const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];
const PASSING_KINDS: readonly OutboundErrorKind[] = ["refused", "timeout", "broken"];
const FIRST_WAIT_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;
/** A longer Retry-After ends the retries of this call. */
const LONGEST_WAIT_MS = 60_000;

/** Wait before the next attempt; `isAsked` if the service asked for it. */
export interface Wait {
  readonly milliseconds: number;
  readonly isAsked: boolean;
}

/**
 * Decides the wait before the next attempt; undefined to give up. It is never shorter than the service asks, nor so long
 * that the deadline passes. If the service asks to wait a second time, the caller is told at once.
 */
export function decideRetry(outcome: TryOutcome, state: RetryState): Wait | undefined {
  const { made, tries, repeatable, hasWaited, tookMs, remainingMs = Infinity, random } = state;
  if (made >= tries || !mayPass(outcome)) return undefined;
  const ran = outcome.kind === undefined || outcome.mayHaveRun === true;
  if (ran && !repeatable) return undefined;
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (made - 1), LONGEST_BACKOFF_MS) * (0.5 + random / 2);
  const asked = outcome.retryAfterMs ?? 0;
  const isAsked = asked > backoff;
  if (isAsked && hasWaited) return undefined;
  const milliseconds = Math.ceil(Math.max(backoff, asked));
  const fits = milliseconds < LONGEST_WAIT_MS && milliseconds + tookMs < remainingMs;
  return fits ? { milliseconds, isAsked } : undefined;
}

function mayPass({ status, kind }: TryOutcome): boolean {
  if (kind !== undefined) return PASSING_KINDS.includes(kind);
  return status !== undefined && PASSING_STATUSES.includes(status);
}

const LONGEST_MS = 86_400_000;
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d GMT$/;

/** Parses Retry-After, seconds or a date (RFC 9110, section 10.2.3), into milliseconds; at most a day. */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  const value = text?.trim();
  if (value === undefined) return undefined;
  const milliseconds = /^\d{1,12}$/.test(value)
    ? Number(value) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value) - now
      : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), LONGEST_MS);
}
