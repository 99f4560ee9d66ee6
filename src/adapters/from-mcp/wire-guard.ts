import type { FetchLike } from "@modelcontextprotocol/client";
import { FLOODED, problemOfJsonText, UnaskedMessages } from "../../core/index.ts";
import {
  isRedirect,
  leavingOrigin,
  type Outbound,
  OutboundError,
  parseRetryAfter,
} from "../../outbound/index.ts";

/** The limit of any other response. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** No smaller text can be costly. */
const SMALL_BYTES = 32 * 1024;

interface GuardOptions {
  readonly unasked: UnaskedStream;
  /** The request that is being fetched for, if there is one; it learns whether its answer is a stream, and what broke it. */
  readonly request: () => { isStream: boolean; fault: OutboundError | undefined } | undefined;
  /** Called when a stream was cut because of too many events. */
  readonly onFlood?: (() => void) | undefined;
}

/** A fetch for the SDK that keeps facts which the SDK drops: the wait that a server asks for, the cause of a break, the size of an event. */
export function guardFetch(
  outbound: Pick<Outbound, "fetch">,
  { unasked, request, onFlood }: GuardOptions,
): FetchLike {
  return async (url, init) => {
    const current = request();
    const isUnasked = current === undefined && init?.method === "GET";
    try {
      const response = await outbound.fetch(url, init);
      await refuseToWait(response, url);
      await refuseToLeave(response, url);
      if (isUnasked && response.ok) unasked.opened();
      if (isUnasked && !response.ok) unasked.failed();
      if (!isEventStream(response)) return withCheckedJson(response);
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

/** A server that asks to wait has not run the request. */
async function refuseToWait(response: Response, url: string | URL): Promise<void> {
  const { status, headers, body } = response;
  if (status !== 429 && status !== 503) return;
  const retryAfterMs = parseRetryAfter(headers.get("retry-after") ?? undefined, Date.now());
  if (status === 503 && retryAfterMs === undefined) return;
  await body?.cancel();
  const happened = `${new URL(url).origin} answered ${status} and asks to wait.`;
  throw new OutboundError("rate-limited", happened, { retryAfterMs, status });
}

/** The SDK would follow a redirect from http to https with the credential, and reports any other redirect as a status alone. */
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

/** The SDK reads an answer of JSON by this method alone. */
function withCheckedJson(response: Response): Response {
  const json = async () => {
    const text = await response.text();
    const fault = faultOf(text);
    if (fault) throw fault;
    return JSON.parse(text);
  };
  return Object.defineProperty(response, "json", { value: json });
}

function faultOf(text: string): OutboundError | undefined {
  // Depth is decided later, tool by tool and answer by answer: one tool that is too deep must not cost the whole list.
  const problem = problemOfJsonText(text, Number.POSITIVE_INFINITY);
  return problem && new OutboundError("too-complex", `The answer ${problem.says}.`, { mayHaveRun: true });
}

interface Faults {
  readonly onFault: (fault: OutboundError) => void;
  readonly onFlood: (() => void) | undefined;
  /** The stream answers a request, so its last event may be large. */
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
    costly(event: Uint8Array) {
      const fault = faultOf(dataOf(new TextDecoder().decode(event)));
      if (fault) onFault(fault);
      return fault;
    },
  };
  return new Response(response.body.pipeThrough(limitEvents(limits)), response);
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** A stream that lasted this long counts as a success. */
const STEADY_MS = 10_000;

/** The stream of unsolicited messages, which servers before 2026-07-28 may have. */
export class UnaskedStream {
  readonly #onLost: () => void;
  #openedAt: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #settle: () => void = () => {};
  /** Settles when the stream is open, or when it is clear that there will be none. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  opened(): void {
    this.#openedAt = performance.now();
    this.#settle();
  }

  /** The stream could not be opened; that is a loss only if it was open before. */
  failed(): void {
    this.#settle();
    if (this.#openedAt !== undefined) this.#onLost();
  }

  /** Milliseconds to wait before the stream is opened again. */
  pause(): number {
    const isSteady = this.#openedAt !== undefined && performance.now() - this.#openedAt >= STEADY_MS;
    if (isSteady) this.#pauseMs = FIRST_PAUSE_MS;
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(pause * 2, LONGEST_PAUSE_MS);
    return pause;
  }
}

const NEWLINE = 10;
const RETURN = 13;

interface EventLimits {
  /** The largest event: a parser keeps an event in memory until its end. */
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  /** Called with the size of each event before it is parsed; returns an error if there were too many. */
  readonly tooMany: (bytes: number) => Error | undefined;
  /** Shown each event that is not small, before it is parsed; an error where that would take too long. */
  readonly costly?: (event: Uint8Array) => Error | undefined;
}

/** Passes a stream of events on unchanged, and ends it with an error above the limits. */
export function limitEvents({
  maxBytes,
  tooLarge,
  tooMany,
  costly,
}: EventLimits): TransformStream<Uint8Array, Uint8Array> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  const lines = new BlankLines();
  const hold = (part: Uint8Array) => {
    pending.push(part);
    bytes += part.length;
  };
  return new TransformStream({
    transform(chunk, controller) {
      let start = 0;
      for (const end of lines.endsIn(chunk)) {
        hold(chunk.subarray(start, end));
        const fault = tooMany(bytes) ?? (bytes > SMALL_BYTES ? costly?.(Buffer.concat(pending)) : undefined);
        if (fault) return controller.error(fault);
        pending = [];
        bytes = 0;
        start = end;
      }
      hold(chunk.subarray(start));
      if (bytes > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
}

/** Start of the empty lines, which end events. A line ends with a newline, a return, or both. */
class BlankLines {
  #afterLine = false;
  #afterReturn = false;

  *endsIn(chunk: Uint8Array): Iterable<number> {
    let newline = chunk.indexOf(NEWLINE);
    let carriage = chunk.indexOf(RETURN);
    let next = 0;
    while (newline !== -1 || carriage !== -1) {
      const isReturn = newline === -1 || (carriage !== -1 && carriage < newline);
      const at = isReturn ? carriage : newline;
      const isNext = at === next;
      const isSecondHalf = !isReturn && isNext && this.#afterReturn;
      if (isNext && this.#afterLine && !isSecondHalf) yield at;
      this.#afterLine = true;
      this.#afterReturn = isReturn;
      next = at + 1;
      if (isReturn) carriage = chunk.indexOf(RETURN, next);
      else newline = chunk.indexOf(NEWLINE, next);
    }
    if (next < chunk.length) this.#afterLine = this.#afterReturn = false;
  }
}

/** The data of an event; anything else in it could make it look like other JSON than it is. */
function dataOf(event: string): string {
  return event
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length))
    .join("\n");
}

interface CredentialHeader {
  readonly name: string;
  readonly value: string;
}

/** A fetch that sends a credential in a header to one server, and not to where a redirect may lead. */
export function headerFetch(
  outbound: Pick<Outbound, "fetch">,
  { name, value }: CredentialHeader,
  server: URL,
): Pick<Outbound, "fetch"> {
  return {
    fetch(url, init = {}) {
      if (new URL(url).origin !== server.origin) return outbound.fetch(url, init);
      const headers = new Headers(init.headers);
      headers.set(name, value);
      return outbound.fetch(url, { ...init, headers, account: value });
    },
  };
}
