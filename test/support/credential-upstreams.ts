import { createHash, randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { Server as Sdk1Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { listen } from "../../src/gateway/server/server.ts";

/** An upstream that tells with which credential it was called. */
export interface CredentialUpstream {
  readonly url: URL;
  /** Credentials by which the list, or the document, was read. */
  readonly discoveredBy: ReadonlySet<string>;
  /** Requests that came with the session of another credential. */
  readonly crossed: readonly string[];
  /** Credentials of calls, in order. */
  readonly called: readonly string[];
  close(): Promise<void>;
}

interface Notes {
  readonly discoveredBy: Set<string>;
  readonly crossed: string[];
  readonly called: string[];
}

const TOOL = {
  name: "whoami",
  description: "Tells the credential of its caller.",
  inputSchema: { type: "object" as const, properties: { n: { type: "integer" } } },
};

/** A server of 2026-07-28; without a credential it lists nothing. */
export async function serveModernEcho(): Promise<CredentialUpstream> {
  const notes = newNotes();
  const handler = createMcpHandler(
    (request) => {
      const credential = credentialOf(request.requestInfo ?? new Request("http://nobody"));
      const server = new Server({ name: "echo", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => {
        notes.discoveredBy.add(credential);
        return { tools: [TOOL] };
      });
      server.setRequestHandler("tools/call", ({ params }) => answer(notes, credential, params.arguments));
      return server;
    },
    { legacy: "reject" },
  );
  return serve(notes, (request) => handler.fetch(request));
}

/** A server of the older revision, with sessions that belong to the client that opened them. */
export async function serveSessionEcho(): Promise<CredentialUpstream> {
  const notes = newNotes();
  const sessions = new Map<string, { owner: string; transport: WebStandardStreamableHTTPServerTransport }>();

  async function open(owner: string): Promise<WebStandardStreamableHTTPServerTransport> {
    const server = new Sdk1Server({ name: "echo", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => {
      notes.discoveredBy.add(owner);
      return { tools: [TOOL] };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestInfo }) =>
      answer(notes, bare(String(requestInfo?.headers.authorization)), params.arguments),
    );
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { owner, transport }),
    });
    // Its types are written without exact optional properties, so its transport does not fit its own interface.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  }

  return serve(notes, async (request) => {
    const credential = credentialOf(request);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await open(credential)).handleRequest(request);
    const session = sessions.get(id);
    if (!session) return new Response(null, { status: 404 });
    if (session.owner !== credential) notes.crossed.push(`${credential} in a session of ${session.owner}`);
    return session.transport.handleRequest(request);
  });
}

/** An HTTP API with its document at /openapi.json. `security` is what the document says about its calls. */
export async function serveApiEcho(scheme: object): Promise<CredentialUpstream> {
  const notes = newNotes();
  const document = {
    openapi: "3.1.0",
    info: { title: "Echo", version: "1" },
    components: { securitySchemes: { way: scheme } },
    security: [{ way: [] }],
    paths: {
      "/whoami": {
        get: {
          operationId: "whoami",
          parameters: [{ name: "n", in: "query", schema: { type: "integer" } }],
          responses: { 200: { description: "Fine.", content: { "application/json": {} } } },
        },
      },
    },
  };
  const served = await serve(notes, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const key = request.headers.get("x-api-key");
    const credential = key ?? credentialOf(request);
    if (pathname === "/openapi.json") {
      notes.discoveredBy.add(credential);
      return Response.json(document);
    }
    return Response.json(
      (await answer(notes, credential, { n: Number(searchParams.get("n")) })).structuredContent,
    );
  });
  return { ...served, url: new URL("/openapi.json", served.url) };
}

function newNotes(): Notes {
  return { discoveredBy: new Set(), crossed: [], called: [] };
}

async function serve(
  notes: Notes,
  fetch: (request: Request) => Promise<Response>,
): Promise<CredentialUpstream> {
  const http = await listen({ host: "127.0.0.1", port: 0, fetch });
  return { ...notes, url: new URL("/mcp", http.url), close: () => http.close(0) };
}

/** Tells one credential from another without telling it: no secret leaves a gateway in these tests. */
export function fingerprintOf(credential: string): string {
  return createHash("sha256").update(credential).digest("hex");
}

/** Answers late enough that others are answered in between. */
async function answer({ called }: Notes, credential: string, input: unknown) {
  called.push(credential);
  for (let turns = Math.random() * 3; turns > 0; turns--) await turn();
  return {
    content: [],
    structuredContent: { credential: fingerprintOf(credential), ...(input as { n?: number }) },
  };
}

function credentialOf(request: Request): string {
  return bare(request.headers.get("authorization") ?? "nobody");
}

function bare(header: string): string {
  return header.startsWith("Basic ") ? atob(header.slice(6)) : header.replace(/^Bearer /, "");
}
