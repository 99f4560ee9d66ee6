import { MAX_ENVELOPE_BYTES } from "../index.ts";

/** By this the answer to an upgrade says how large an envelope may be. */
export const MAX_BYTES_HEADER = "Pinhole-Max-Envelope-Bytes";

/** What an answer to an upgrade says about that; undefined where it says nothing that can be used. */
export function maxBytesIn(headers: NodeJS.Dict<string | string[]>): number | undefined {
  const said = headers[MAX_BYTES_HEADER.toLowerCase()];
  return typeof said === "string" && /^[1-9]\d{0,9}$/.test(said)
    ? Math.min(Number(said), MAX_ENVELOPE_BYTES)
    : undefined;
}
