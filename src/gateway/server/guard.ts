import { isLoopback } from "../../config/index.ts";

/** Names that browsers and clients may use for this server. */
export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly host: string;
  /** The address that clients use; it needs no place in the lists. */
  readonly publicUrl?: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** Names of this machine in an address. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Headers that pages may send: those of MCP clients and of HTTP programs. Tokens go in a header, so no cookie is needed. */
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "baggage",
  "traceparent",
  "tracestate",
];

/** Headers that pages may read. */
const RESPONSE_HEADERS = [
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

/** Headers into which MCP clients copy arguments; their names depend on the tool. */
const ARGUMENT_HEADER = /^mcp-param-[\w-]{1,100}$/i;
const MAX_AGE_SECONDS = "600";

/**
 * True for a path that can be read in one way only. No address of ours needs `%`, `..` or an empty part, and a path that a proxy
 * before us reads in another way would get around what the proxy forbids.
 */
export function isPlainPath(target: string): boolean {
  const [path = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1);
  return /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*\/?$/.test(path);
}

/**
 * Refuses requests that reach the server under a name that is not its own, or from a page of another
 * origin: web pages attack a server on the same machine in these two ways.
 */
export function createGuard(options: GuardOptions): (request: Request) => Response | undefined {
  const problemOf = createNameGuard(options);
  return (request) => {
    const message = problemOf(hostOf(request), request.headers.get("origin"));
    return message === undefined ? undefined : refuse(message);
  };
}

/** The same for an upgrade, which is not a Request: returns the reason as a sentence. */
export function createNameGuard(
  options: GuardOptions,
): (host: string | null, origin: string | null) => string | undefined {
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
    // Beyond this machine callers have identities, so that a list of names is a choice.
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

/** HTTP/2 has the host only in the address. */
function hostOf({ headers, url }: Request): string | null {
  return headers.get("host") ?? (URL.canParse(url) ? new URL(url).host : null);
}

function refuse(message: string): Response {
  return Response.json({ error: { code: "FORBIDDEN", message, retryable: false } }, { status: 403 });
}

/**
 * The answer to a browser that asks whether a page may send a request; undefined for any other request. The guard has
 * accepted its origin already.
 */
export function answerPreflight({ method, headers }: Request): Response | undefined {
  const origin = headers.get("origin");
  if (method !== "OPTIONS" || origin === null || !headers.has("access-control-request-method"))
    return undefined;
  const asked = (headers.get("access-control-request-headers") ?? "").split(",").map((name) => name.trim());
  const allowed = [...REQUEST_HEADERS, ...asked.filter((name) => ARGUMENT_HEADER.test(name))];
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, HEAD, POST, DELETE",
      "access-control-allow-headers": allowed.join(", "),
      "access-control-max-age": MAX_AGE_SECONDS,
      vary: "Origin, Access-Control-Request-Headers",
    },
  });
}

/** Lets the page that asked read the answer. */
export function shareWithPage({ headers }: Request, response: Response): Response {
  const origin = headers.get("origin");
  if (origin === null) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", RESPONSE_HEADERS);
  response.headers.append("vary", "Origin");
  return response;
}
