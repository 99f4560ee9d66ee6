import { OutboundError } from "./outbound-error.ts";
import { type BodyLike, type RequestBody, toRequestBody } from "./request-body.ts";
import { type HeaderPairs, type HeadersLike, toHeaderPairs } from "./request-headers.ts";
import { parseTarget } from "./target.ts";

/** A request as a caller writes it. */
export interface RequestDraft {
  readonly method?: string | undefined;
  readonly url: string | URL;
  readonly headers?: HeadersLike | undefined;
  readonly body?: BodyLike | null | undefined;
  /** Ends the request at any time, also while its answer is read. */
  readonly signal?: AbortSignal | null | undefined;
  /** By `performance.now()`: when the request ends, wherever it is. */
  readonly deadline?: number | undefined;
}

/** A request that has been checked and can be sent. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderPairs;
  readonly body: RequestBody["content"] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly deadline: number | undefined;
}

const METHOD = /^[A-Z][A-Z-]*$/;
/** They turn a connection into something else, or repeat to the sender what it sent. */
const REFUSED_METHODS: readonly string[] = ["CONNECT", "TRACE", "TRACK"];

/** Checks a request and makes it ready. */
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
  };
}

function withDefaults(headers: HeaderPairs, type: string | undefined): HeaderPairs {
  const has = (wanted: string) => headers.some(([name]) => name === wanted);
  const added: (readonly [string, string])[] = [];
  // There are services that turn away whoever does not say a name.
  if (!has("user-agent")) added.push(["user-agent", "pinhole"]);
  if (type !== undefined && !has("content-type")) added.push(["content-type", type]);
  return [...headers, ...added];
}
