import fc from "fast-check";
import { type RawRequest, writeRequest } from "../../support/raw-http.ts";
import { GOOD, type Headers, headersOf, headerText, ofKind, post } from "./request.ts";

/** A good body under headers that do not fit it. */
export const wrongHeaders = fc.oneof(
  ofKind(
    "headers that are missing, twice there or wrong",
    fc
      .array(
        fc.tuple(
          fc.constantFrom(...headersOf().map(([name]) => name), "mcp-session-id", "last-event-id", "expect"),
          fc.constantFrom("drop", "double", "replace"),
          headerText,
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((changes) => post(GOOD, changes.reduce(changeHeaders, headersOf()))),
  ),
  ofKind(
    "headers that say something else than the body",
    fc
      .constantFrom<Record<string, string | undefined>>(
        { "mcp-method": "tools/list" },
        { "mcp-method": undefined },
        { "mcp-name": "batch" },
        { "mcp-name": "=?base64?YmF0Y2g=?=" },
        { "mcp-name": undefined },
        { "mcp-protocol-version": "2031-01-01" },
      )
      .map((given) => post(GOOD, headersOf(given))),
    [400],
  ),
  ofKind(
    "a content type that is no JSON",
    fc
      .constantFrom(
        "text/plain",
        "text/html",
        "multipart/form-data",
        "application/jsonp",
        "application/xml",
        "json",
        "",
      )
      .map((type) => post(GOOD, headersOf({ "content-type": type }))),
    [400, 415],
  ),
  ofKind(
    "any content type",
    headerText.map((type) => post(GOOD, headersOf({ "content-type": type }))),
  ),
  ofKind(
    "any accept",
    headerText.map((accept) => post(GOOD, headersOf({ accept }))),
  ),
  ofKind(
    "a credential that nobody has",
    headerText.map((value) => post(GOOD, headersOf({ authorization: value }))),
    [401],
  ),
);

/** Callers that must not be let in: by the name they use, or the page they come from. */
export const strangers = fc.oneof(
  ofKind(
    "the name of another host",
    fc
      .constantFrom(
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "0.0.0.0",
        "[::2]",
        "@",
        "a:b:c",
      )
      .map((host) => post(GOOD, headersOf({ host }))),
    [400, 403],
  ),
  ofKind(
    "a page of another origin",
    fc
      .constantFrom(
        "https://evil.example",
        "null",
        "http://127.0.0.1.evil.example",
        "file://",
        "chrome-extension://x",
        "*",
      )
      .map((origin) => post(GOOD, headersOf({ origin }))),
    [403],
  ),
  ofKind(
    "any host",
    headerText.map((host) => post(GOOD, headersOf({ host }))),
  ),
  ofKind(
    "any origin",
    headerText.filter((text) => text.trim() !== "").map((origin) => post(GOOD, headersOf({ origin }))),
    [403],
  ),
);

/** Everywhere but POST /mcp. */
export const places = ofKind(
  "another method or path",
  fc
    .record({
      method: fc.constantFrom(
        "GET",
        "HEAD",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "TRACE",
        "QUERY",
        "POST",
        "BREW",
      ),
      target: fc.oneof(
        fc.constantFrom("/mcp", "/mcp/", "/MCP", "/", "/healthz", "*", "http://evil.example/mcp", "//mcp"),
        fc.constantFrom(
          "/mcp?x=%zz",
          "/%6dcp",
          "/mcp/../etc/passwd",
          "/mcp%00",
          "/.well-known/oauth-protected-resource",
        ),
        fc.webPath().map((path) => path || "/"),
      ),
      version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.0"),
      body: fc.constantFrom("", GOOD),
    })
    .map((request: RawRequest) =>
      writeRequest({
        ...request,
        headers: [...headersOf(), ["content-length", String(request.body?.length)]],
      }),
    ),
);

/** What is no HTTP. */
export const noHttp = fc.oneof(
  ofKind(
    "random bytes",
    fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      // Before a request, empty lines say nothing, and there is nothing to answer.
      .filter((bytes) => bytes.some((byte) => byte !== 0x0a && byte !== 0x0d))
      .map((bytes) => ended(bytes)),
  ),
  ofKind(
    "a broken request line or header",
    fc
      .constantFrom(
        ...[
          "GET",
          "POST /mcp",
          "POST /mcp HTTP/9.9",
          "POST /mcp HTTP/1.1\r\nhost",
          "POST /mcp HTTP/1.1\r\n: x",
        ],
        ...["POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: \0", `GET /${"a".repeat(20_000)} HTTP/1.1`],
        `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${"a".repeat(20_000)}`,
      )
      .map((text) => ended(Buffer.from(text, "latin1"))),
    [400, 431],
  ),
  ofKind(
    "lengths that contradict each other",
    fc
      .constantFrom<Headers>(
        [["content-length", "-1"]],
        [["content-length", "1e3"]],
        [
          ["content-length", "5"],
          ["content-length", "6"],
        ],
        [
          ["content-length", "5"],
          ["transfer-encoding", "chunked"],
        ],
        [["transfer-encoding", "gzip"]],
        [["transfer-encoding", "chunked, chunked"]],
      )
      .map((headers) => writeRequest({ headers: [...headersOf(), ...headers], body: GOOD })),
    [400, 501],
  ),
  ofKind(
    "broken chunks",
    fc
      .constantFrom(
        "zz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n{}",
        "2\r\n{}xx0\r\n\r\n",
      )
      .map((body) => writeRequest({ headers: [...headersOf(), ["transfer-encoding", "chunked"]], body })),
    [400, 413],
  ),
);

function changeHeaders(headers: Headers, [name, change, value]: readonly [string, string, string]): Headers {
  if (change === "double") return [...headers, [name, value]];
  const rest = headers.filter(([other]) => other !== name);
  return change === "drop" ? rest : [...rest, [name, value]];
}

function ended(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, Buffer.from("\r\n\r\n")]);
}
