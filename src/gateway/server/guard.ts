import { isLoopback } from "../../config/index.ts";

/** Which names a browser or client may use for this server. */
export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly host: string;
  /** The address that clients use; it needs no place in the lists. */
  readonly publicUrl?: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** Names that lead to the same machine, as they stand in an address. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses requests that reach the server under a name it does not go by, or from a page of another
 * origin: both are how a web page attacks a server on the same machine.
 */
export function createGuard(options: GuardOptions): (request: Request) => Response | undefined {
  const problemOf = createNameGuard(options);
  return (request) => {
    const message = problemOf(hostOf(request), request.headers.get("origin"));
    return message === undefined ? undefined : refuse(message);
  };
}

/** What is wrong with the name that a request uses, or with the page that it comes from, as a sentence. */
type NameGuard = (host: string | null, origin: string | null) => string | undefined;

/** The same for what is no request of the usual kind. */
export function createNameGuard(options: GuardOptions): NameGuard {
  const local = isLoopback(options.host);
  const known = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  const isListed = hosts.size > 0;
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  if (known) {
    hosts.add(known.hostname);
    origins.add(known.origin);
  }

  function knowsHost(host: string): boolean {
    const name = host.replace(/:\d+$/, "").toLowerCase();
    if (hosts.has(name) || hosts.has(host.toLowerCase())) return true;
    // Bound beyond this machine, callers have identities; a list of names is then a choice, not a need.
    return local ? LOOPBACK.test(name) : !isListed;
  }

  function knowsOrigin(origin: string): boolean {
    if (origins.has(origin.toLowerCase()) || origins.has("*")) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    return local && url !== undefined && /^https?:$/.test(url.protocol) && LOOPBACK.test(url.hostname);
  }

  return (host, origin) => {
    if (!host || !knowsHost(host))
      return "This server does not go by that name. Add it to server.allowedHosts if it should.";
    if (origin !== null && !knowsOrigin(origin))
      return "Pages of that origin may not call this server. Add it to server.allowedOrigins if they should.";
    return undefined;
  };
}

/** HTTP/2 has the host in the address alone. */
function hostOf({ headers, url }: Request): string | null {
  return headers.get("host") ?? (URL.canParse(url) ? new URL(url).host : null);
}

function refuse(message: string): Response {
  return Response.json({ error: { code: "FORBIDDEN", message, retryable: false } }, { status: 403 });
}
