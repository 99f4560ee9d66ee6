import type { Incoming, IncomingHeaders } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";

/** What Response refuses in a reason phrase. */
const PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** An answer as fetch gives it. */
export function toResponse({ status, statusText, headers, body }: Incoming, origin: string): Response {
  if (status > 599) {
    const happened = `${origin} answered with the status ${status}, which is none of HTTP.`;
    if (body instanceof ReadableStream) void body.cancel();
    throw new OutboundError("broken", happened, { mayHaveRun: true });
  }
  return new Response(body ?? null, {
    status,
    statusText: PHRASE.test(statusText) ? statusText : "",
    headers: toHeaders(headers),
  });
}

/** The headers of an answer as fetch gives them. */
export function toHeaders(headers: IncomingHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) appendTo(result, name, one);
  }
  return result;
}

/** What Headers does not take is left out: the rest of the answer is still good. */
function appendTo(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {}
}

/** An answer to `send`. Read its body in one way, or cancel it. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: OutboundBody;
}

/** The ways to read the body of an answer. Each can be used once. */
export interface OutboundBody {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  stream(): ReadableStream<Uint8Array>;
  /** Lets go of the body, and of its connection if it is still on its way. */
  cancel(): Promise<void>;
}

/** An answer as `send` gives it. */
export function toOutboundResponse({ status, headers, body }: Incoming): OutboundResponse {
  const carrier = new Response(body ?? null);
  return {
    status,
    headers: toHeaders(headers),
    body: {
      // Not bytes(): a program that embeds this may have put another Response in the place of the platform's.
      bytes: async () => new Uint8Array(await carrier.arrayBuffer()),
      text: () => carrier.text(),
      stream: () => carrier.body ?? emptyStream(),
      cancel: async () => {
        if (carrier.body && !carrier.bodyUsed) await carrier.body.cancel();
      },
    },
  };
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (stream) => stream.close() });
}
