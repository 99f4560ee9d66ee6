import type { FetchLike } from "@modelcontextprotocol/client";
import { FLOODED, UnaskedMessages } from "../../core/index.ts";
import {
  isRedirect,
  leavingOrigin,
  type Outbound,
  OutboundError,
  parseRetryAfter,
} from "../../outbound/index.ts";
import type { Exchange } from "./exchange.ts";
import { limitEvents } from "./limit-events.ts";
import type { UnaskedStream } from "./unasked-stream.ts";

/** As large as any other answer may be. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Whom what happens on the wire concerns. */
export interface FetchSite {
  readonly unasked: UnaskedStream;
  /** The request that is being fetched for, if there is one. */
  readonly exchange: () => Exchange | undefined;
  /** Told when a stream was cut because of too many events. */
  readonly onFlood?: (() => void) | undefined;
}

/** A fetch for the SDK that keeps what the SDK would drop: how long to wait, what broke, and how large an event is. */
export function guardFetch(
  outbound: Pick<Outbound, "fetch">,
  { unasked, exchange, onFlood }: FetchSite,
): FetchLike {
  return async (url, init) => {
    const current = exchange();
    const isUnasked = current === undefined && init?.method === "GET";
    try {
      const response = await outbound.fetch(url, init);
      await refuseToWait(response, url);
      await refuseToLeave(response, url);
      if (isUnasked && response.ok) unasked.opened();
      if (isUnasked && !response.ok) unasked.failed();
      if (!isEventStream(response)) return response;
      if (current) current.isStream = true;
      const onFault = (fault: OutboundError) => {
        if (current) current.fault = fault;
      };
      return limited(response, { onFault, onFlood, isAsked: current !== undefined });
    } catch (error) {
      if (isUnasked && !init?.signal?.aborted) unasked.failed();
      throw error;
    }
  };
}

/** A server that asks to wait has turned the request away. */
async function refuseToWait(response: Response, url: string | URL): Promise<void> {
  const { status, headers, body } = response;
  const header = headers.get("retry-after");
  if (status !== 429 && !(status === 503 && header !== null)) return;
  await body?.cancel();
  const happened = `${new URL(url).origin} answered ${status} and asks to wait.`;
  throw new OutboundError("rate-limited", happened, {
    retryAfterMs: parseRetryAfter(header ?? undefined, Date.now()),
  });
}

/** The SDK would go from http to https and show there what it showed here, and of other ways it says only a status. */
async function refuseToLeave({ status, headers, body }: Response, url: string | URL): Promise<void> {
  const location = isRedirect(status) ? headers.get("location") : null;
  const to = location === null ? null : URL.parse(location, String(url));
  const refusal = to && leavingOrigin(new URL(url), to);
  if (!refusal) return;
  await body?.cancel();
  throw refusal;
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.trim().toLowerCase().startsWith("text/event-stream") ?? false;
}

interface Faults {
  readonly onFault: (fault: OutboundError) => void;
  readonly onFlood: (() => void) | undefined;
  /** The stream answers a request, and its last event may be a large one. */
  readonly isAsked: boolean;
}

function limited(response: Response, { onFault, onFlood, isAsked }: Faults): Response {
  if (!response.body) return response;
  const broken = (happened: string) => {
    const fault = new OutboundError("too-large", happened, { mayHaveRun: true });
    onFault(fault);
    return fault;
  };
  const events = new UnaskedMessages();
  const limits = {
    maxBytes: MAX_EVENT_BYTES,
    tooLarge: () => broken(`An event of the answer is larger than ${MAX_EVENT_BYTES} bytes.`),
    tooMany(bytes: number) {
      if (events.take(isAsked ? 0 : bytes)) return undefined;
      onFlood?.();
      return broken(`The server ${FLOODED}.`);
    },
  };
  return new Response(response.body.pipeThrough(limitEvents(limits)), response);
}
