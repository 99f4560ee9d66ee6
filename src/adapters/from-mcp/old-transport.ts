import { mediaKindOf, readEvents } from "../../formats/index.ts";
import type { TransportOptions } from "./transport.ts";

const LOOK_MS = 3_000;

/** Where to look, and with what. */
interface OldTransportSite extends Pick<TransportOptions, "url" | "tokenHeader" | "outbound"> {
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a server speaks the transport of 2024-11-05: its first event on GET says where requests are sent. */
export async function speaksOldTransport(site: OldTransportSite): Promise<boolean> {
  const { url, token, tokenHeader, outbound, signal } = site;
  const patience = AbortSignal.timeout(LOOK_MS);
  const credential: [string, string][] =
    token === undefined ? [] : [tokenHeader ? [tokenHeader, token] : ["authorization", `Bearer ${token}`]];
  try {
    const { ok, headers, body } = await outbound.fetch(url, {
      headers: [["accept", "text/event-stream"], ...credential],
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    if (ok && body && mediaKindOf(headers.get("content-type") ?? "") === "events") {
      for await (const { event } of readEvents(body)) return event === "endpoint";
    }
    await body?.cancel();
  } catch {
    // It cannot be told, and something else is known to be wrong already.
  }
  return false;
}
