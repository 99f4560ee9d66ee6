import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { modernBody } from "../../support/mcp-wire.ts";
import { writeRequest } from "../../support/raw-http.ts";
import { CALL, GOOD, type Headers, headersOf, json, ofKind, post } from "./request.ts";

const META: object = JSON.parse(GOOD).params._meta;
const METHODS = [
  ...["initialize", "ping", "tools/list", "tools/call", "server/discover", "subscriptions/listen"],
  ...["resources/read", "prompts/get", "logging/setLevel", "notifications/cancelled", "tasks/get", ""],
];
const position = fc.nat(GOOD.length - 1);

/** Bodies that are no JSON. */
export const brokenJson = fc.oneof(
  ofKind(
    "a body that is cut off",
    position.map((end) => post(GOOD.slice(0, end))),
    [400],
  ),
  ofKind(
    "a body of random bytes",
    fc.uint8Array({ maxLength: 300 }).map((body) => post(body)),
  ),
  ofKind(
    "a body with one wrong byte",
    fc.tuple(position, fc.nat(255)).map(([at, byte]) => post(withByte(GOOD, at, byte))),
  ),
  ofKind("a body in UTF-16", fc.constant(post(Buffer.from(GOOD, "utf16le"))), [400]),
  ofKind(
    "a body that is compressed",
    fc.constant(post(gzipSync(GOOD), headersOf({ "content-encoding": "gzip" }))),
    [415],
  ),
  ofKind("two bodies in one", fc.constant(post(`${GOOD}${GOOD}`)), [400]),
);

/** Bodies that are JSON and no good request. */
export const envelopes = fc.oneof(
  ofKind(
    "a body of any JSON",
    json.map((value) => post(JSON.stringify(value))),
  ),
  ofKind(
    "a list of requests",
    fc
      .array(
        fc.oneof(json, fc.constantFrom(JSON.parse(GOOD), { jsonrpc: "2.0", id: 1, method: "tools/list" })),
        {
          maxLength: 3,
        },
      )
      .chain(legacyOrModern),
  ),
  ofKind(
    "an envelope with wrong parts",
    fc
      .record(
        {
          jsonrpc: fc.oneof({ weight: 3, arbitrary: fc.constant("2.0") }, json),
          id: fc.oneof(fc.integer(), fc.string(), json),
          method: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...METHODS) }, fc.string(), json),
          params: fc.oneof(json, fc.constant(CALL), fc.constant(JSON.parse(GOOD).params)),
          result: json,
          error: json,
        },
        { requiredKeys: [] },
      )
      .chain(legacyOrModern),
  ),
  ofKind(
    "params of any shape",
    fc
      .record({ method: fc.constantFrom(...METHODS), params: json, id: fc.oneof(fc.integer(), fc.string()) })
      .map(({ params, ...rest }) => ({ jsonrpc: "2.0", ...rest, params: withMeta(params) }))
      .chain(legacyOrModern),
  ),
  ofKind(
    "a wrong _meta",
    fc
      .dictionary(
        fc.constantFrom(...Object.keys(META), "progressToken", "traceparent", "tracestate", "__proto__"),
        json,
        {
          maxKeys: 2,
        },
      )
      .map((given) =>
        JSON.stringify({ ...JSON.parse(GOOD), params: { ...CALL, _meta: { ...META, ...given } } }),
      )
      .map((body) => post(body)),
  ),
);

/** Bodies that are too large, too deep or too short. */
export const sizes = fc.oneof(
  ofKind(
    "a body that says it is too large",
    fc
      .integer({ min: 1_000_001, max: Number.MAX_SAFE_INTEGER })
      .map((length) =>
        writeRequest({ headers: [...headersOf(), ["content-length", String(length)]], body: GOOD }),
      ),
    [413],
  ),
  ofKind(
    "a body that turns out to be too large",
    fc.integer({ min: 1, max: 50 }).map((chunks) => {
      const chunk = `${(1_000_001).toString(16)}\r\n${" ".repeat(1_000_001)}\r\n`;
      const headers: Headers = [...headersOf(), ["transfer-encoding", "chunked"]];
      return writeRequest({ headers, body: `${chunk.repeat(Math.min(chunks, 2))}0\r\n\r\n` });
    }),
    [413],
  ),
  ofKind(
    "a body that ends before its length",
    position.map((end) =>
      writeRequest({
        headers: [...headersOf(), ["content-length", String(GOOD.length)]],
        body: GOOD.slice(0, end),
      }),
    ),
  ).map((each) => ({ ...each, end: true })),
  ofKind(
    "a body that is nested too deeply",
    fc.tuple(fc.integer({ min: 65, max: 100_000 }), fc.constantFrom("[", '{"a":')).map(([depth, open]) => {
      const inner = `${open.repeat(depth)}1${(open === "[" ? "]" : "}").repeat(depth)}`;
      return post(GOOD.replace('{"text":"a b"}', inner));
    }),
    [400],
  ),
);

/** Good requests with arguments that no model would write, or with a tool that there is not. */
export const calls = ofKind(
  "arguments of any shape",
  fc
    .tuple(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("search", "schema", "call", "batch", "tool_invoke") },
        fc.string({ unit: "grapheme" }),
      ),
      fc.oneof(
        json,
        fc.dictionary(
          fc.constantFrom(
            "operation",
            "input",
            "select",
            "query",
            "limit",
            "cursor",
            "type",
            "name",
            "names",
            "calls",
          ),
          fc.oneof(
            json,
            fc.constantFrom("text/stats", "time/now", ["text/stats"], { text: "x" }, "[?a", "@", "__proto__"),
          ),
        ),
      ),
    )
    .map(([name, args]) => {
      const body = modernBody("tools/call", { name, arguments: args });
      return post(JSON.stringify(body), headersOf({}, headerSafe(name)));
    }),
);

/** Params that are good enough to be looked at. */
function withMeta(params: unknown): unknown {
  return typeof params === "object" && params !== null ? { ...params, _meta: META } : params;
}

/** The same body as a modern client sends it, and as an older one does. */
function legacyOrModern(body: unknown): fc.Arbitrary<Uint8Array> {
  const { method } = Object(body) as { method?: unknown };
  const modern = {
    "mcp-method": typeof method === "string" ? printable(method) : "tools/call",
    "mcp-name": undefined,
  };
  const legacy = { "mcp-protocol-version": "2025-11-25", "mcp-method": undefined, "mcp-name": undefined };
  return fc.constantFrom(modern, legacy).map((given) => post(JSON.stringify(body), headersOf(given)));
}

function withByte(text: string, at: number, byte: number): Uint8Array {
  const bytes = Buffer.from(text);
  bytes[at] = byte;
  return bytes;
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** A name as a header carries it, which takes only plain ASCII as it is. */
function headerSafe(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}
