import type { Log } from "../core/index.ts";
import { abortedBy } from "./failure.ts";
import { discard, firstOf, type Incoming, type OutboundResponse, toOutboundResponse } from "./incoming.ts";
import { havingRun, OutboundError } from "./outbound-error.ts";
import { type Outgoing, type RequestDraft, toOutgoing } from "./outgoing.ts";
import { decideRetry, parseRetryAfter, type TryOutcome } from "./retry.ts";

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
      return finish(tried, { outcome, origin, mayHaveRun, keepAnswer: request.keepAnswer === true });
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
  if ("error" in tried) return { kind: tried.error.kind, mayHaveRun: tried.error.mayHaveRun };
  const { status, headers } = tried.incoming;
  const retryAfterMs = parseRetryAfter(firstOf(headers, "retry-after"), Date.now());
  // A proxy that gave up waiting does not know whether the service carried on.
  return { status, retryAfterMs, mayHaveRun: status === 502 || status === 504 };
}

interface Finishing {
  readonly outcome: TryOutcome;
  readonly origin: string;
  readonly mayHaveRun: boolean;
  readonly keepAnswer: boolean;
}

async function finish(
  tried: Try,
  { outcome, origin, mayHaveRun, keepAnswer }: Finishing,
): Promise<OutboundResponse> {
  if ("error" in tried) throw mayHaveRun ? havingRun(tried.error) : tried.error;
  const { status, retryAfterMs } = outcome;
  const asksToWait = status === 429 || (status === 503 && retryAfterMs !== undefined);
  if (!asksToWait || keepAnswer) return toOutboundResponse(tried.incoming);
  await discard(tried.incoming);
  throw new OutboundError("rate-limited", `${origin} answered ${status} and asks to wait.`, {
    retryAfterMs,
    mayHaveRun,
  });
}
