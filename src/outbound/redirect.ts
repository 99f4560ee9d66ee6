import { discard, firstOf, type Incoming, type IncomingHead } from "./incoming.ts";
import { havingRun, OutboundError } from "./outbound-error.ts";
import type { Outgoing } from "./outgoing.ts";

/** Treatment of redirects, as in fetch. */
type RedirectMode = "follow" | "manual" | "error";

/** Dependencies of `perform`. */
interface PerformPorts {
  readonly exchange: (request: Outgoing) => Promise<Incoming>;
  readonly maxRedirects: number;
}

/** Sends a request and follows its redirects. */
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
    // A redirect from POST to GET means that the POST was processed.
    hasRun ||= next.method !== current.method;
    current = next;
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const OF_THE_BODY: readonly string[] = [
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
];

/**
 * The request that a response redirects to; undefined if it is not a redirect. It never leaves the origin, so
 * that no header, secret or body goes to another one.
 */
export function decideRedirect(request: Outgoing, { status, headers }: IncomingHead): Outgoing | undefined {
  const location = isRedirect(status) ? firstOf(headers, "location") : undefined;
  if (location === undefined) return undefined;
  const { method, url, body } = request;
  const target = targetOf(location, url);
  if (status === 307 || status === 308) {
    if (body instanceof ReadableStream) {
      throw refusal(request, `asks to send a body again that was a stream`);
    }
    return { ...request, url: target };
  }
  if (method === "GET" || method === "HEAD") return { ...request, url: target };
  // A GET to the new address would do nothing, and look like success.
  if (status === 301) throw refusal(request, `has moved, and a ${method} cannot follow it`);
  const kept = request.headers.filter(([name]) => !OF_THE_BODY.includes(name));
  return { ...request, method: "GET", url: target, headers: kept, body: undefined };
}

/** True for a status that redirects to another address. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/** The error of a redirect to another origin; undefined within the same origin. */
export function leavingOrigin(from: URL, to: URL): OutboundError | undefined {
  if (to.origin === from.origin) return undefined;
  // `origin` is "null" for schemes that have none.
  const elsewhere = to.origin === "null" ? `a ${to.protocol} address` : to.origin;
  return refusal(
    { url: from },
    `redirects to ${elsewhere}, and redirects are followed within one origin only`,
  );
}

/** The error of a request that was redirected more often than allowed. */
function redirectedTooOften(request: Outgoing, limit: number): OutboundError {
  return refusal(request, `redirects more than ${limit} times`);
}

/** The error of a redirect with `redirect: "error"`. */
function redirectUnwanted(request: Outgoing): OutboundError {
  return refusal(request, "redirects, and the caller does not want to follow");
}

function targetOf(location: string, from: URL): URL {
  let target: URL;
  try {
    target = new URL(location, from);
  } catch {
    throw refusal({ url: from }, "redirects to an invalid URL");
  }
  const leaving = leavingOrigin(from, target);
  if (leaving) throw leaving;
  if (target.username !== "" || target.password !== "") {
    throw refusal({ url: from }, "redirects to an address with a user or a password");
  }
  return target;
}

function refusal({ url }: Pick<Outgoing, "url">, what: string): OutboundError {
  return new OutboundError("redirect-forbidden", `${url.origin} ${what}.`, { mayHaveRun: true });
}
