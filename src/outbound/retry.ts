import type { OutboundErrorKind } from "./outbound-error.ts";

/** How a try ended: with an answer or an error. */
export interface TryOutcome {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly kind?: OutboundErrorKind;
  readonly mayHaveRun?: boolean;
}

/** What decides whether there is another try. */
export interface RetryState {
  /** How many tries have been made. */
  readonly made: number;
  readonly tries: number;
  /** Sending the request twice does no harm. */
  readonly repeatable: boolean;
  /** Whether the service has already been waited for as long as it asked. */
  readonly hasWaited: boolean;
  /** How long the last try took, in milliseconds: about as long as the next one will. */
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
/** A service that asks for more gets no further try from this call. */
const LONGEST_WAIT_MS = 60_000;

/** How long to wait before the next try, and whether the service asked for so long. */
export interface Wait {
  readonly milliseconds: number;
  readonly isAsked: boolean;
}

/**
 * How long to wait before the next try; undefined when there is none. It never comes earlier than the service asks, nor so late
 * that the deadline cuts it off. A service that asks a second time does not keep its word, and its caller is told at once.
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
