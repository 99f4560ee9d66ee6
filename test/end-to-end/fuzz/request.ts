import fc from "fast-check";
import { modernBody, modernHeaders } from "../../support/mcp-wire.ts";
import { writeRequest } from "../../support/raw-http.ts";

/** One request that is wrong in some way, and how it may be answered where that is known. */
export interface FuzzCase {
  readonly kind: string;
  readonly bytes: Uint8Array;
  /** The client sends nothing more, and says so. */
  readonly end?: boolean;
  readonly statuses?: readonly number[];
}

/** Headers as they stand on the wire: in order, any of them twice. */
export type Headers = readonly (readonly [string, string])[];

/** The params of a call that is right. */
export const CALL = { name: "call", arguments: { operation: "text/stats", input: { text: "a b" } } };

/** The body of that call. */
export const GOOD = JSON.stringify(modernBody("tools/call", CALL));

/** The headers of a good modern call of a tool, with others in their place where they are given. */
export function headersOf(given: Readonly<Record<string, string | undefined>> = {}, name = "call"): Headers {
  const all: Readonly<Record<string, string | undefined>> = {
    host: "127.0.0.1",
    connection: "close",
    ...modernHeaders("tools/call", name),
    ...given,
  };
  return Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
}

/** A request with this body and its length. */
export function post(body: Uint8Array | string, headers: Headers = headersOf()): Uint8Array {
  const length = ["content-length", String(Buffer.byteLength(body))] as const;
  return writeRequest({ headers: [...headers, length], body });
}

/** Cases of one kind, with the statuses that are right for all of them. */
export function ofKind(
  kind: string,
  bytes: fc.Arbitrary<Uint8Array>,
  statuses?: readonly number[],
): fc.Arbitrary<FuzzCase> {
  return bytes.map((each) => ({ kind, bytes: each, ...(statuses && { statuses }) }));
}

/** Any JSON. */
export const json = fc.jsonValue({ maxDepth: 4 });

/** Every character that a header may hold. */
export const headerText = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
});
