import assert from "node:assert/strict";
import { postLegacy, resultOf, type WireMessage } from "./mcp-wire.ts";

/** The revision that these clients speak. */
export const VERSION = "2025-11-25";
/** The request that begins a session. */
export const initialize = (capabilities: object = {}) => ({
  id: 0,
  method: "initialize",
  params: { protocolVersion: VERSION, capabilities, clientInfo: { name: "wire", version: "0" } },
});

/** A call of an operation, under an id. */
export const callOf = (id: unknown, operation: string, input: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "call", arguments: { operation, input } },
});

/** The notification that cancels it. */
export const cancelOf = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

/** One client: who it is, and its session. */
export interface Wire {
  readonly headers: Readonly<Record<string, string>>;
  post(message: object): Promise<Response>;
  /** The same session at another replica. */
  at(url: URL): Pick<Wire, "post">;
}

/** Begins a session. */
export async function begin(
  url: URL,
  { token, capabilities }: { token?: string; capabilities?: object } = {},
): Promise<Wire> {
  const authorization: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await postLegacy(url, initialize(capabilities), { headers: authorization });
  await response.text();
  const id = response.headers.get("mcp-session-id");
  const headers = { ...authorization, ...(id !== null && { "mcp-session-id": id }) };
  const at = (replica: URL) => ({
    post: (message: object) => postLegacy(replica, message, { version: VERSION, headers }),
  });
  return { headers, at, ...at(url) };
}

/** Reads the events of a response one by one. */
export function eventsOf(response: Response) {
  const reader = (response.body ?? assert.fail("there is no stream"))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  async function next(): Promise<WireMessage | undefined> {
    for (;;) {
      const [, data] = /^data: (.+)\n/m.exec(text) ?? [];
      if (data !== undefined) {
        text = text.slice(text.indexOf(data) + data.length);
        return JSON.parse(data);
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  }
  return { next, cancel: () => reader.cancel() };
}

/** Opens the stream on which a client listens. */
export async function get(url: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { headers: { accept: "text/event-stream", ...headers } });
}

/** The output of the operation in the answer to its call. */
export function outputIn(message: WireMessage): unknown {
  return (resultOf(message).structuredContent as { readonly output: unknown }).output;
}
