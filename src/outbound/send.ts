import { FAILURES, type Log } from "../core/index.ts";
import { discard, firstOf, type Incoming, type OutboundResponse, toOutboundResponse } from "./incoming.ts";
import { abortedBy, havingRun, OutboundError, type OutboundErrorKind } from "./outbound-error.ts";
import { type Outgoing, type RequestDraft, toOutgoing } from "./outgoing.ts";

/** A request that may be tried more than once. */
export interface OutboundRequest extends RequestDraft {
  readonly method: string;
  /** Safe to send twice. Other requests are retried only if nothing was sent. */
  readonly repeatable: boolean;
  /** Returns a 429 or 503 like any other response, instead of an error without its body. */
  readonly keepAnswer?: boolean;
}

/** Waits; rejects when the signal aborts. */
export type Delay = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Dependencies of `send`. */
export interface SendPorts {
  readonly perform: (request: Outgoing) => Promise<Incoming>;
  /** Maximum attempts per request. */
  readonly tries: number;
  readonly delay: Delay;
  readonly random: () => number;
  readonly log: Log;
}

type Try = { readonly incoming: Incoming } | { readonly error: OutboundError };

/** Sends a request and retries where that helps and is safe, but never beyond its deadline. */
export async function send(request: OutboundRequest, ports: SendPorts): Promise<OutboundResponse> {
  const outgoing = await toOutgoing(request);
  const { origin } = outgoing.url;
  const { deadline, signal } = outgoing;
  const once = outgoing.body instanceof ReadableStream;
  let mayHaveRun = false;
  let hasWaited = false;
  for (let made = 1; ; made++) {
    const begun = performance.now();
    const tried = await tryOnce(outgoing, ports);
    const outcome = outcomeOf(tried);
    mayHaveRun ||= outcome.mayHaveRun === true;
    const wait = decideRetry(outcome, {
      made,
      tries: once ? 1 : ports.tries,
      repeatable: request.repeatable,
      hasWaited,
      tookMs: performance.now() - begun,
      remainingMs: signal?.aborted ? 0 : deadline === undefined ? undefined : deadline - performance.now(),
      random: ports.random(),
    });
    if (wait === undefined) {
      return finish(tried, outcome, { origin, mayHaveRun, keepAnswer: request.keepAnswer === true });
    }
    if ("incoming" in tried) await discard(tried.incoming);
    ports.log.warn("An outbound request is tried again", {
      origin,
      reason: outcome.kind ?? outcome.status,
      made,
      waitMs: wait.milliseconds,
    });
    hasWaited ||= wait.isAsked;
    await ports.delay(wait.milliseconds, signal).catch((error: unknown) => {
      throw signal?.aborted ? abortedBy(signal, { origin, sent: mayHaveRun }) : error;
    });
  }
}

async function tryOnce(outgoing: Outgoing, { perform }: SendPorts): Promise<Try> {
  try {
    return { incoming: await perform(outgoing) };
  } catch (error) {
    if (error instanceof OutboundError) return { error };
    throw error;
  }
}

function outcomeOf(tried: Try): TryOutcome {
  if ("error" in tried) return tried.error;
  const { status, headers } = tried.incoming;
  const retryAfterMs = parseRetryAfter(firstOf(headers, "retry-after"), Date.now());
  // A proxy that gave up waiting does not know whether the service carried on.
  return { status, retryAfterMs, mayHaveRun: status === 502 || status === 504 };
}

async function finish(
  tried: Try,
  outcome: TryOutcome,
  request: { readonly origin: string; readonly mayHaveRun: boolean; readonly keepAnswer: boolean },
): Promise<OutboundResponse> {
  const { origin, mayHaveRun, keepAnswer } = request;
  if ("error" in tried) throw mayHaveRun ? havingRun(tried.error) : tried.error;
  const { status, retryAfterMs } = outcome;
  const asksToWait = status === 429 || (status === 503 && retryAfterMs !== undefined);
  if (!asksToWait || keepAnswer) return toOutboundResponse(tried.incoming);
  await discard(tried.incoming);
  throw new OutboundError("rate-limited", `${origin} answered ${status} and asks to wait.`, {
    retryAfterMs,
    mayHaveRun,
    status,
  });
}

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
const FIRST_WAIT_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;
/** A longer Retry-After ends the retries of this call. */
const LONGEST_WAIT_MS = 60_000;

/** Wait before the next attempt; `isAsked` if the service asked for it. */
interface Wait {
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
  if (kind !== undefined) return FAILURES[kind].passes;
  return status !== undefined && PASSING_STATUSES.includes(status);
}

/** Longest wait that a service can ask for. */
const LONGEST_MS = 600_000;
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d GMT$/;

/** Parses Retry-After, seconds or a date (RFC 9110, section 10.2.3), into milliseconds; at most ten minutes. */
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
