import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { listen } from "../../src/gateway/http/server.ts";

/** A server of the years before 2026-07-28. */
export interface Sdk1Server {
  readonly url: URL;
  /** How many sessions were opened so far. */
  sessions(): number;
  /** Drops all sessions, as a restart does; who comes with one is told 404. */
  forget(): void;
  /** Offers a tool of that name from now on, and tells everybody who listens. */
  offer(name: string): Promise<void>;
  close(): Promise<void>;
}

interface Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const NUMBER = { type: "number" } as const;

const TOOLS: readonly Tool[] = [
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: NUMBER, b: NUMBER }, required: ["a", "b"] },
    outputSchema: { type: "object", properties: { sum: NUMBER }, required: ["sum"] },
  },
  { name: "fail", description: "Fails in its own words.", inputSchema: { type: "object" } },
  { name: "ask", description: "Asks its client for a name.", inputSchema: { type: "object" } },
];

/** Serves a few tools with SDK 1 over streamable HTTP, with sessions. */
export async function serveSdk1(): Promise<Sdk1Server> {
  const sessions = new Map<string, Session>();
  const tools = [...TOOLS];
  let opened = 0;

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const server = createServer(tools);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        opened++;
        sessions.set(id, { server, transport });
      },
    });
    // Its types are written without exact optional properties, so its transport is none of its own.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  }

  const http = await listen({
    host: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return (await open()).handleRequest(request);
      const session = sessions.get(id);
      return session ? session.transport.handleRequest(request) : new Response(null, { status: 404 });
    },
  });

  return {
    url: new URL("/mcp", http.url),
    sessions: () => opened,
    forget() {
      for (const { server } of sessions.values()) void server.close();
      sessions.clear();
    },
    async offer(name) {
      if (!tools.some((tool) => tool.name === name))
        tools.push({ name, description: "Came later than the others.", inputSchema: { type: "object" } });
      await Promise.all([...sessions.values()].map(({ server }) => server.sendToolListChanged()));
    },
    close: () => http.close(0),
  };
}

function createServer(tools: readonly Tool[]): Server {
  const server = new Server(
    { name: "sdk1", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    switch (params.name) {
      case "add": {
        const sum = Number(params.arguments?.a) + Number(params.arguments?.b);
        return { content: [{ type: "text", text: String(sum) }], structuredContent: { sum } };
      }
      case "ask": {
        const requestedSchema = {
          type: "object" as const,
          properties: { name: { type: "string" as const } },
        };
        const { action } = await server.elicitInput({ message: "Who are you?", requestedSchema });
        return { content: [{ type: "text", text: action }] };
      }
      default:
        return { content: [{ type: "text", text: `${params.name} is out of order` }], isError: true };
    }
  });
  return server;
}
