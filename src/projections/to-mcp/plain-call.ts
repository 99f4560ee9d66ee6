import { isRecord, type UnknownRecord } from "../../core/index.ts";

const REVISION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const ENVELOPE_KEYS = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS = new Set(["name", "arguments", "_meta"]);
const META_KEYS = new Set([
  `${PREFIX}protocolVersion`,
  `${PREFIX}clientCapabilities`,
  `${PREFIX}clientInfo`,
  "traceparent",
  "tracestate",
  "baggage",
]);

/** A tools/call that does not need the SDK. */
export interface PlainCall {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: UnknownRecord;
  readonly meta: UnknownRecord;
}

/**
 * Recognises a tools/call of the 2026-07-28 revision in its plainest form: everything that the protocol
 * demands is there and agrees, and nothing else is. Almost all calls are such. Whatever is missing, odd or
 * of another revision is left to the SDK, which knows how to refuse it.
 */
export function readPlainCall(request: Request, body: unknown): PlainCall | undefined {
  if (!isRecord(body) || !hasOnly(body, ENVELOPE_KEYS)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isId(id)) return undefined;
  if (!isRecord(params) || !hasOnly(params, PARAMS_KEYS)) return undefined;
  const { name, arguments: given = {}, _meta: meta } = params;
  if (typeof name !== "string" || !isRecord(given) || !isRecord(meta) || !isPlainMeta(meta)) return undefined;
  if (!agree(request.headers, name)) return undefined;
  return { id, name, arguments: given, meta };
}

/** True for a valid id (JSON-RPC 2.0, section 4, as restricted by MCP). */
export function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function isPlainMeta(meta: UnknownRecord): boolean {
  const capabilities = meta[`${PREFIX}clientCapabilities`];
  const client = meta[`${PREFIX}clientInfo`];
  return (
    hasOnly(meta, META_KEYS) &&
    meta[`${PREFIX}protocolVersion`] === REVISION &&
    isRecord(capabilities) &&
    Object.values(capabilities).every(isRecord) &&
    (client === undefined ||
      (isRecord(client) && typeof client.name === "string" && typeof client.version === "string"))
  );
}

/** The headers must say the same as the body. */
function agree(headers: Headers, name: string): boolean {
  const accept = headers.get("accept");
  return (
    headers.get("mcp-protocol-version") === REVISION &&
    headers.get("mcp-method") === "tools/call" &&
    headers.get("mcp-name") === name &&
    (accept === null || accept.includes("*/*") || accept.includes("application/json"))
  );
}

function hasOnly(record: UnknownRecord, keys: ReadonlySet<string>): boolean {
  for (const key in record) if (!keys.has(key)) return false;
  return true;
}
