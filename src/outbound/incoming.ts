/** The headers of an answer; what came more than once is a list. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an answer begins with. */
export interface IncomingHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHeaders;
}

/** An answer: whole if it is short or JSON, a stream otherwise. */
export interface Incoming extends IncomingHead {
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined;
}

/** How the body of an answer is taken in; `events` are a stream without an end or a limit. */
export type BodyKind = "none" | "whole" | "stream" | "events";

/** A body of this length is read at once, so that its connection is free even if nobody reads it. */
const SHORT_BYTES = 65_536;
const BODYLESS: readonly number[] = [204, 205, 304];

/** Decides how to take in a body before any of it has come. */
export function decideBodyKind(method: string, { status, headers }: IncomingHead): BodyKind {
  if (method === "HEAD" || BODYLESS.includes(status)) return "none";
  const type = mediaTypeOf(headers);
  if (type === "text/event-stream") return "events";
  const length = declaredLengthOf(headers);
  const short = length !== undefined && length <= SHORT_BYTES;
  // 202 says that there is no answer yet; what little it holds is read here.
  const whole = short || status === 202 || type.endsWith("/json") || type.endsWith("+json");
  return whole ? "whole" : "stream";
}

/** The length that an answer says it has. */
export function declaredLengthOf(headers: IncomingHeaders): number | undefined {
  const text = firstOf(headers, "content-length");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** One header of an answer, the first if it came more than once. */
export function firstOf(headers: IncomingHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}

/** Lets go of a body that nobody will read. */
export async function discard({ body }: Pick<Incoming, "body">): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel().catch(() => {});
}

function mediaTypeOf(headers: IncomingHeaders): string {
  const [essence = ""] = (firstOf(headers, "content-type") ?? "").split(";", 1);
  return essence.trim().toLowerCase();
}
