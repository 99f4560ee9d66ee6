import { MAX_ENVELOPE_BYTES } from "../index.ts";

/** Header of the upgrade response with the largest envelope. */
export const MAX_BYTES_HEADER = "Pinhole-Max-Envelope-Bytes";

/** The value of that header; undefined if missing or invalid. */
export function maxBytesIn(headers: NodeJS.Dict<string | string[]>): number | undefined {
  const said = headers[MAX_BYTES_HEADER.toLowerCase()];
  return typeof said === "string" && /^[1-9]\d{0,9}$/.test(said)
    ? Math.min(Number(said), MAX_ENVELOPE_BYTES)
    : undefined;
}
