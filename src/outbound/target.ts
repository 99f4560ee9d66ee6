import { OutboundError } from "./outbound-error.ts";

/** Reads the address of a request; what it refuses, it refuses without quoting the address. */
export function parseTarget(address: string | URL): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new OutboundError("invalid-request", "The address of the request is no valid URL.");
  }
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
