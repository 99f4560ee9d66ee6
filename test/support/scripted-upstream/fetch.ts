import type { Outbound } from "../../../src/outbound/index.ts";
import type { Rpc } from "./script.ts";

/** A request to an upstream that exists only as a function. */
export interface Fetched {
  readonly http: string;
  readonly rpc: Rpc;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
}

/** Answers a request; undefined leaves it to the script. */
export type Answer = (fetched: Fetched) => Response | Promise<Response> | undefined;

/** An upstream in the same process, without a network: a fetch that speaks MCP. */
export function scriptedFetch(era: "modern" | "legacy", answer: Answer = () => undefined) {
  const seen: Fetched[] = [];
  let sessions = 0;

  const fetch: Outbound["fetch"] = async (_url, init = {}) => {
    const rpc = (typeof init.body === "string" ? JSON.parse(init.body) : {}) as Rpc;
    const headers = new Headers(init.headers as Headers);
    const fetched = { http: init.method ?? "GET", rpc, headers, signal: init.signal ?? undefined };
    seen.push(fetched);
    return (await answer(fetched)) ?? byScript(fetched);
  };

  function byScript({ http, rpc }: Fetched): Response {
    if (http !== "POST") return new Response(null, { status: http === "GET" ? 405 : 200 });
    if (rpc.id === undefined) return new Response(null, { status: 202 });
    const capabilities = { tools: {} };
    if (era === "modern" && rpc.method === "server/discover") {
      const supportedVersions = ["2026-07-28"];
      return json(rpc, {
        resultType: "complete",
        supportedVersions,
        capabilities,
        ttlMs: 0,
        cacheScope: "private",
      });
    }
    if (era === "legacy" && rpc.method === "initialize") {
      sessions++;
      const serverInfo = { name: "scripted", version: "1" };
      const session = { "mcp-session-id": `session-${sessions}` };
      return json(rpc, { protocolVersion: "2025-11-25", capabilities, serverInfo }, session);
    }
    if (rpc.method === "tools/call") return json(rpc, { resultType: "complete", content: [] });
    return new Response(null, { status: 400 });
  }

  const count = (method: string) => seen.filter(({ rpc, http }) => (rpc.method ?? http) === method).length;
  return { outbound: { fetch }, seen, count, sessions: () => sessions };
}

/** A result as JSON. */
export function json(rpc: Rpc, result: object, headers: Readonly<Record<string, string>> = {}): Response {
  const body = JSON.stringify({ jsonrpc: "2.0", id: rpc.id, result });
  return new Response(body, { headers: { "content-type": "application/json", ...headers } });
}

/** A stream of events whose text is given piece by piece. */
export function eventStream(pieces: ConstructorParameters<typeof Response>[0]): Response {
  return new Response(pieces, { headers: { "content-type": "text/event-stream" } });
}
