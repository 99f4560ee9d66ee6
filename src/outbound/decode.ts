import { tooLarge } from "./failure.ts";
import { decideBodyKind, firstOf, type Incoming } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";

const FORMATS: ReadonlyMap<string, "gzip" | "deflate" | "brotli"> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "brotli"],
]);

/** Where an answer comes from and how large it may be once it is decoded. */
export interface DecodeOptions {
  readonly origin: string;
  readonly maxResponseBytes: number;
}

/**
 * Decodes what a service has compressed. We do not ask for that, because what compresses often holds back events
 * until there are many; but files may be stored so, and a caller may ask for it.
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

/** Passes a stream on up to a limit, and passes on a reader that leaves. */
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
