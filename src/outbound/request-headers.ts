import { OutboundError } from "./outbound-error.ts";

/** Headers as fetch takes them. */
export type HeadersLike =
  | Headers
  | readonly (readonly [name: string, value: string])[]
  | Readonly<Record<string, string | undefined>>;

/** Names and values as they are sent; the names are in lower case. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** They belong to the connection, which is ours; from a caller they could split or smuggle requests. */
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

/** Checks the headers of a request and leaves out those that belong to the connection. */
export function toHeaderPairs(headers: HeadersLike = {}): HeaderPairs {
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
