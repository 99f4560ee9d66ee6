/** How a request of 2026-07-28 is written; every part can be overridden to write a wrong one. */
export interface ModernOptions {
  readonly capabilities?: object;
  /** Beside what the revision demands. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** One JSON-RPC message as it came. */
export interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The revision without sessions. */
export const MODERN = "2026-07-28";

/** The revisions before it, which begin with a handshake. */
export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

/** The body of a request of 2026-07-28. */
export function modernBody(method: string, params: object = {}, options: ModernOptions = {}): object {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": options.capabilities ?? {},
    "io.modelcontextprotocol/clientInfo": { name: "wire", version: "0" },
    ...options.meta,
  };
  return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
}

/** The headers that must go with it. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
}

/** Sends a request of 2026-07-28. */
export function postModern(
  url: URL,
  method: string,
  params: { readonly name?: string; readonly [key: string]: unknown } = {},
  options: ModernOptions = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      ...modernHeaders(method, params.name),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    body: JSON.stringify(modernBody(method, params, options)),
    ...(options.signal && { signal: options.signal }),
  });
}

/** Sends a request as every revision before 2026-07-28 does. */
export function postLegacy(
  url: URL,
  message: object,
  options: {
    readonly version?: string;
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(options.version !== undefined && { "mcp-protocol-version": options.version }),
      ...options.headers,
    },
    body: JSON.stringify(Array.isArray(message) ? message : { jsonrpc: "2.0", ...message }),
    ...(options.signal && { signal: options.signal }),
  });
}

/** Every message of an answer, whether it came as JSON or as a stream of events. */
export async function messagesOf(response: Response): Promise<readonly WireMessage[]> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** The one message that answers, after any that only notify. */
export async function answerOf(response: Response): Promise<WireMessage> {
  const answer = (await messagesOf(response)).at(-1);
  if (answer === undefined) throw new Error(`The answer ${response.status} has no message.`);
  return answer;
}

/** The result of an answer; fails where it is an error. */
export function resultOf({ result, error }: WireMessage): Readonly<Record<string, unknown>> {
  if (result === undefined) throw new Error(`There is no result but ${JSON.stringify(error)}.`);
  return result;
}
