import { OutboundError } from "./outbound-error.ts";

/** A request as a caller writes it. */
export interface RequestDraft {
  readonly method?: string | undefined;
  readonly url: string | URL;
  readonly headers?: HeadersLike | undefined;
  readonly body?: BodyLike | null | undefined;
  /** Aborts the request at any time, also while its response is read. */
  readonly signal?: AbortSignal | null | undefined;
  /** Time by `performance.now()` at which the request is aborted. */
  readonly deadline?: number | undefined;
  /** The credential that the request carries, where that is not its Authorization header alone. */
  readonly account?: string | undefined;
}

/** A request that has been checked and can be sent. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderPairs;
  readonly body: RequestBody["content"] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly deadline: number | undefined;
  readonly account: string | undefined;
}

const METHOD = /^[A-Z][A-Z-]*$/;
/** Methods that turn a connection into a tunnel, or echo the request with its secrets. */
const REFUSED_METHODS: readonly string[] = ["CONNECT", "TRACE", "TRACK"];

/** Validates a request and prepares it for sending. */
export async function toOutgoing(draft: RequestDraft): Promise<Outgoing> {
  const url = parseTarget(draft.url);
  const method = (draft.method ?? "GET").toUpperCase();
  if (!METHOD.test(method) || REFUSED_METHODS.includes(method)) {
    throw new OutboundError("invalid-request", "The method of the request cannot be sent.");
  }
  const body = await toRequestBody(draft.body);
  return {
    method,
    url,
    headers: withDefaults(toHeaderPairs(draft.headers), body?.type),
    body: body?.content,
    signal: draft.signal ?? undefined,
    deadline: draft.deadline,
    account: draft.account,
  };
}

function withDefaults(headers: HeaderPairs, type: string | undefined): HeaderPairs {
  const has = (wanted: string) => headers.some(([name]) => name === wanted);
  const added: (readonly [string, string])[] = [];
  // Some services refuse requests without a user agent.
  if (!has("user-agent")) added.push(["user-agent", "pinhole"]);
  if (type !== undefined && !has("content-type")) added.push(["content-type", type]);
  return [...headers, ...added];
}

/** Parses the URL of a request. Errors do not quote it, because it may contain secrets. */
function parseTarget(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (!url) throw new OutboundError("invalid-request", "The address of the request is not a valid URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new OutboundError(
      "address-forbidden",
      `Only http: and https: are called, and the address begins with ${url.protocol}`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError(
      "invalid-request",
      `The address at ${url.origin} holds a user or a password; send them as a header.`,
    );
  }
  return url;
}

/** Headers as fetch takes them. */
type HeadersLike =
  | Headers
  | readonly (readonly [name: string, value: string])[]
  | Readonly<Record<string, string | undefined>>;

/** Names and values as they are sent; the names are in lower case. */
type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Headers of the connection, which is ours; from a caller they could split or smuggle requests. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Validates the headers of a request and drops those of the connection. */
function toHeaderPairs(headers: HeadersLike = {}): HeaderPairs {
  const pairs: (readonly [string, string])[] = [];
  const given = Symbol.iterator in headers ? headers : Object.entries(headers);
  for (const [anyCase, value] of given) {
    if (value === undefined) continue;
    const name = anyCase.toLowerCase();
    if (!NAME.test(name)) {
      throw new OutboundError("invalid-request", "A header has a name that cannot be sent.");
    }
    if (!VALUE.test(value)) {
      throw new OutboundError("invalid-request", `The header ${name} holds characters that cannot be sent.`);
    }
    if (!OF_THE_CONNECTION.has(name)) pairs.push([name, value]);
  }
  return pairs;
}

/** Any body that fetch accepts. */
export type BodyLike = NonNullable<RequestInit["body"]>;

/** A body to send, and its default content type. */
interface RequestBody {
  readonly content: string | Uint8Array | ReadableStream<Uint8Array>;
  readonly type?: string | undefined;
}

/** Prepares a body for sending. Everything except a stream can be sent again. */
async function toRequestBody(body: BodyLike | null | undefined): Promise<RequestBody | undefined> {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return { content: body, type: "text/plain;charset=UTF-8" };
  if (body instanceof Uint8Array || body instanceof ReadableStream) return { content: body };
  if (body instanceof ArrayBuffer) return { content: new Uint8Array(body) };
  if (ArrayBuffer.isView(body)) {
    return { content: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) };
  }
  if (body instanceof URLSearchParams || body instanceof FormData || body instanceof Blob) {
    // The platform serializes them and knows their content type.
    const written = new Response(body);
    const type = written.headers.get("content-type") ?? undefined;
    return { content: new Uint8Array(await written.arrayBuffer()), type };
  }
  return { content: ReadableStream.from(body) };
}
