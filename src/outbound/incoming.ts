import { OutboundError, tooLarge } from "./outbound-error.ts";

/** Headers of a response; a repeated header is a list. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Status and headers of a response. */
export interface IncomingHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHeaders;
}

/** A response: read whole if it is short or JSON, a stream otherwise. */
export interface Incoming extends IncomingHead {
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined;
}

/** The way to read a body; `events` is a stream without an end or a limit. */
export type ResponseBodyKind = "none" | "whole" | "stream" | "events";

/** Bodies up to this length are read at once, so that an unread response does not hold its connection. */
const SHORT_BYTES = 65_536;
const BODYLESS: readonly number[] = [204, 205, 304];

/** Decides how to read a body, before any of it has arrived. */
export function decideBodyKind(method: string, { status, headers }: IncomingHead): ResponseBodyKind {
  if (method === "HEAD" || BODYLESS.includes(status)) return "none";
  const type = mediaTypeOf(headers);
  if (type === "text/event-stream") return "events";
  const length = declaredLengthOf(headers);
  const short = length !== undefined && length <= SHORT_BYTES;
  // 202 means that the result is not ready; its body is small.
  const whole = short || status === 202 || type.endsWith("/json") || type.endsWith("+json");
  return whole ? "whole" : "stream";
}

/** The declared length of a response. */
export function declaredLengthOf(headers: IncomingHeaders): number | undefined {
  const text = firstOf(headers, "content-length");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** A header of a response, the first if it is repeated. */
export function firstOf(headers: IncomingHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}

/** Cancels a body that will not be read. */
export async function discard({ body }: Pick<Incoming, "body">): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel().catch(() => {});
}

function mediaTypeOf(headers: IncomingHeaders): string {
  const [essence = ""] = (firstOf(headers, "content-type") ?? "").split(";", 1);
  return essence.trim().toLowerCase();
}

const FORMATS: ReadonlyMap<string, "gzip" | "deflate" | "brotli"> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "brotli"],
]);

/** Origin of a response, and the largest size after decoding. */
interface DecodeOptions {
  readonly origin: string;
  readonly maxResponseBytes: number;
}

/**
 * Decodes a compressed response. We do not ask for compression, because compressing servers often hold back events
 * until there are many; but files may be stored compressed, and a caller may ask for it.
 */
export async function decode(incoming: Incoming, options: DecodeOptions): Promise<Incoming> {
  const { headers, body } = incoming;
  const encoding = firstOf(headers, "content-encoding")?.trim().toLowerCase() ?? "";
  if (body === undefined || encoding === "" || encoding === "identity") return incoming;
  const format = FORMATS.get(encoding);
  if (format === undefined) {
    if (body instanceof ReadableStream) await body.cancel();
    throw unreadable(options.origin);
  }
  const { "content-encoding": _, "content-length": __, ...rest } = headers;
  if (body instanceof Uint8Array && body.length === 0) return { ...incoming, headers: rest };
  const source = body instanceof ReadableStream ? body : new Blob([body]).stream();
  const limit = decideBodyKind("GET", incoming) === "events" ? Infinity : options.maxResponseBytes;
  const stream = bounded(source.pipeThrough(new DecompressionStream(format)), limit, options.origin);
  const whole = body instanceof Uint8Array;
  return {
    ...incoming,
    headers: rest,
    body: whole ? new Uint8Array(await new Response(stream).arrayBuffer()) : stream,
  };
}

/** Forwards a stream up to a limit; cancelling it cancels the source. */
function bounded(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  origin: string,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let total = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        total += value.length;
        if (total > limit) throw tooLarge(origin, limit);
        controller.enqueue(value);
      } catch (error) {
        await reader.cancel().catch(() => {});
        throw error instanceof OutboundError ? error : unreadable(origin, error);
      }
    },
    cancel: () => reader.cancel(),
  });
}

function unreadable(origin: string, cause?: unknown): OutboundError {
  const happened = `${origin} answered with a content-encoding that cannot be decoded.`;
  return new OutboundError("broken", happened, { mayHaveRun: true, cause });
}

/** Characters that Response accepts in a reason phrase. */
const PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Converts to the platform's Response. */
export function toResponse({ status, statusText, headers, body }: Incoming, origin: string): Response {
  if (status > 599) {
    const happened = `${origin} answered with the status ${status}, which is not an HTTP status.`;
    if (body instanceof ReadableStream) void body.cancel();
    throw new OutboundError("broken", happened, { mayHaveRun: true });
  }
  return new Response(body ?? null, {
    status,
    statusText: PHRASE.test(statusText) ? statusText : "",
    headers: toHeaders(headers),
  });
}

/** Converts to the platform's Headers. */
function toHeaders(headers: IncomingHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) appendTo(result, name, one);
  }
  return result;
}

/** Drops a header that Headers refuses: the rest of the response is still good. */
function appendTo(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {}
}

/** Response to `send`. Read its body once, or cancel it. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: OutboundBody;
}

/** Body of a response. It can be read once. */
interface OutboundBody {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  stream(): ReadableStream<Uint8Array>;
  /** Drops the body, and closes its connection if it is still arriving. */
  cancel(): Promise<void>;
}

/** Converts to the response of `send`. */
export function toOutboundResponse({ status, headers, body }: Incoming): OutboundResponse {
  const carrier = new Response(body ?? null);
  return {
    status,
    headers: toHeaders(headers),
    body: {
      // Not bytes(): an embedding program may have replaced the platform's Response by one without it.
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
