import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { listen } from "../../src/gateway/server/server.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { DpopGuard } from "./dpop-guard.ts";
import { freePort } from "./free-port.ts";

/** An MCP server that takes nothing but tokens of an authorization server, made for it. */
export interface ProtectedUpstream {
  readonly url: URL;
  /** The claims of the tokens that it was called with, one for each token. */
  readonly tokens: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Requests that were refused. */
  readonly refused: readonly number[];
  /** Refuses a token from now on, although it is good. */
  refuse(token: string): void;
  /** The scopes that a call needs from now on. */
  needs(scopes: readonly string[]): void;
  close(): Promise<void>;
}

interface ProtectedOptions {
  readonly scopes?: readonly string[];
  readonly issuers?: readonly string[];
  /** Takes only tokens that are bound to a key, with proofs that this finds good. */
  readonly dpop?: DpopGuard;
}

const TOOL = { name: "whoami", description: "Tells who calls.", inputSchema: { type: "object" as const } };

/** Starts a server behind an authorization server; by RFC 9728 it says which one. */
export async function serveProtected(
  { issuer }: Pick<AuthorizationServer, "issuer">,
  { scopes = [], issuers = [issuer], dpop }: ProtectedOptions = {},
): Promise<ProtectedUpstream> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const tokens = new Map<string, Readonly<Record<string, unknown>>>();
  const refused: number[] = [];
  const banned = new Set<string>();
  let needed: readonly string[] = [];
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`), { cooldownDuration: 0 });
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = new Server({ name: "protected", version: "1" }, { capabilities: { tools: {} } });
      const { sub, client_id } = tokens.get(tokenOf(requestInfo)) ?? {};
      server.setRequestHandler("tools/list", () => ({ tools: [TOOL] }));
      server.setRequestHandler("tools/call", () => ({ content: [], structuredContent: { sub, client_id } }));
      return server;
    },
    { legacy: "reject" },
  );

  function refuse(status: number, wanted: readonly string[], more = ""): Response {
    refused.push(status);
    const metadata = `resource_metadata="http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp"`;
    const scope = wanted.length > 0 ? `, scope="${wanted.join(" ")}"` : "";
    return new Response(null, {
      status,
      headers: {
        "www-authenticate": `${dpop ? "DPoP" : "Bearer"} ${metadata}${scope}${more}`,
        ...(dpop?.nonce !== undefined && { "dpop-nonce": dpop.nonce }),
      },
    });
  }

  const http = await listen({
    host: "127.0.0.1",
    port,
    async fetch(request) {
      if (new URL(request.url).pathname === "/.well-known/oauth-protected-resource/mcp")
        return Response.json({ resource, authorization_servers: issuers, scopes_supported: scopes });
      const token = tokenOf(request);
      const checked = await jwtVerify(token, keys, { issuer, audience: resource }).catch(() => undefined);
      if (!checked || banned.has(token)) return refuse(401, scopes);
      const wrong = await dpop?.refusalOf(request, token, checked.payload);
      if (wrong !== undefined) return refuse(401, scopes, `, error="${wrong}"`);
      tokens.set(token, checked.payload);
      const granted = String(checked.payload.scope ?? "").split(" ");
      const isCall = request.headers.get("mcp-method") === "tools/call";
      if (isCall && !needed.every((scope) => granted.includes(scope)))
        return refuse(403, needed, `, error="insufficient_scope"`);
      return handler.fetch(request);
    },
  });
  return {
    url: new URL(resource),
    tokens,
    refused,
    refuse: (token) => void banned.add(token),
    needs(wanted) {
      needed = wanted;
    },
    async close() {
      await handler.close();
      await http.close(0);
    },
  };
}

function tokenOf(request: Request | undefined): string {
  return request?.headers.get("authorization")?.replace(/^(?:Bearer|DPoP) /, "") ?? "";
}
