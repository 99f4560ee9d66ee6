import { discard, type Incoming } from "./incoming.ts";
import { havingRun, OutboundError } from "./outbound-error.ts";
import type { Outgoing } from "./outgoing.ts";
import { decideRedirect, redirectedTooOften, redirectUnwanted } from "./redirect.ts";

/** What becomes of a redirect, as in fetch. */
export type RedirectMode = "follow" | "manual" | "error";

/** How redirects are followed. */
export interface PerformPorts {
  readonly exchange: (request: Outgoing) => Promise<Incoming>;
  readonly maxRedirects: number;
}

/** Sends a request, and on to where it is redirected. */
export async function perform(
  request: Outgoing,
  mode: RedirectMode,
  { exchange, maxRedirects }: PerformPorts,
): Promise<Incoming> {
  let current = request;
  let hasRun = false;
  for (let followed = 0; ; followed++) {
    const incoming = await exchange(current).catch((error: unknown) => {
      throw hasRun && error instanceof OutboundError ? havingRun(error) : error;
    });
    if (mode === "manual") return incoming;
    let next: Outgoing | undefined;
    try {
      next = decideRedirect(current, incoming);
      if (next === undefined) return incoming;
      if (mode === "error") throw redirectUnwanted(current);
      if (followed === maxRedirects) throw redirectedTooOften(current, maxRedirects);
    } catch (error) {
      await discard(incoming);
      throw error;
    }
    await discard(incoming);
    // Who sends us on to look with GET has taken what we sent.
    hasRun ||= next.method !== current.method;
    current = next;
  }
}
