/** What pages may send: what MCP clients and programs with HTTP do. Tokens go in a header, so no cookie is ever needed. */
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "baggage",
  "traceparent",
  "tracestate",
];

/** What pages may read beside the body. */
const RESPONSE_HEADERS = ["Mcp-Protocol-Version", "Retry-After", "WWW-Authenticate", "X-Request-Id"].join(
  ", ",
);

/** Headers into which MCP clients copy arguments; their names depend on the tool. */
const ARGUMENT_HEADER = /^mcp-param-[\w-]{1,100}$/i;
const MAX_AGE_SECONDS = "600";

/**
 * The answer to a browser that asks whether a page may send a request; undefined for any other request. Whoever asks
 * has passed the guard, so its origin may.
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
