import type { Log } from "../core/index.ts";
import { abortedBy } from "./failure.ts";
import { discard, firstOf, type Incoming } from "./incoming.ts";
import { havingRun, OutboundError } from "./outbound-error.ts";
import { type Outgoing, type RequestDraft, toOutgoing } from "./outgoing.ts";
import { type OutboundResponse, toOutboundResponse } from "./response.ts";
import { decideRetry, type TryOutcome } from "./retry.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** A request that may be tried more than once. */
export interface OutboundRequest extends RequestDraft {
  readonly method: string;
  /** Sending it twice does no harm. Others are tried again only if nothing of them was sent. */
  readonly repeatable: boolean;
  /** An answer that asks to wait comes back like any other, instead of as an error that does not hold its body. */
  readonly keepAnswer?: boolean;
}

/** Waits; rejects when the signal aborts. */
export type Delay = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** What sending needs. */
export interface SendPorts {
  readonly perform: (request: Outgoing) => Promise<Incoming>;
  /** How often a request is tried at most. */
  readonly tries: number;
  readonly delay: Delay;
  readonly random: () => number;
  readonly log: Log;
}

type Try = { readonly incoming: Incoming } | { readonly error: OutboundError };

/** Sends a request, again where that helps and does no harm, but never beyond its deadline. */
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
  // A gateway that gave up waiting does not know whether the service behind it went on.
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
