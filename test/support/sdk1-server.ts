import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { listen } from "../../src/gateway/server/server.ts";

/** A server of the years before 2026-07-28. */
export interface Sdk1Server {
  readonly url: URL;
  /** How many sessions were opened so far. */
  sessions(): number;
  /** How often a tool was run so far. */
  runs(tool: string): number;
  /** Lets the calls go on that wait for it. */
  release(): void;
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

const TOPIC = { type: "object", properties: { topic: { type: "string" } } } as const;

/** What is asked for, with something to take where nothing is said. */
const FORM = {
  type: "object",
  properties: { name: { type: "string", default: "nobody" } },
} as const;

const TOOLS: readonly Tool[] = [
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: NUMBER, b: NUMBER }, required: ["a", "b"] },
    outputSchema: { type: "object", properties: { sum: NUMBER }, required: ["sum"] },
  },
  { name: "fail", description: "Fails in its own words.", inputSchema: { type: "object" } },
  {
    name: "ask",
    description: "Asks for a name, on no request's stream: as most servers of that time do.",
    inputSchema: TOPIC,
  },
  { name: "ask_here", description: "Asks for a name, on the stream of the call.", inputSchema: TOPIC },
  { name: "wait_and_ask", description: "Waits until it is released, then asks.", inputSchema: TOPIC },
  { name: "wait", description: "Waits until it is released.", inputSchema: { type: "object" } },
  { name: "think", description: "Asks its client for a thought.", inputSchema: { type: "object" } },
];

/** Serves a few tools with SDK 1 over streamable HTTP, with sessions. */
export async function serveSdk1(): Promise<Sdk1Server> {
  const sessions = new Map<string, Session>();
  const tools = [...TOOLS];
  const runs = new Map<string, number>();
  const waiting = new Set<() => void>();
  let opened = 0;

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const server = createServer(tools, {
      ran: (tool) => runs.set(tool, (runs.get(tool) ?? 0) + 1),
      released: () => new Promise<void>((resolve) => waiting.add(resolve)),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        opened++;
        sessions.set(id, { server, transport });
      },
    });
    // Its types are written without exact optional properties, so its transport does not fit its own interface.
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
    runs: (tool) => runs.get(tool) ?? 0,
    release() {
      for (const go of waiting) go();
      waiting.clear();
    },
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

interface Surroundings {
  readonly ran: (tool: string) => void;
  readonly released: () => Promise<void>;
}

function createServer(tools: readonly Tool[], { ran, released }: Surroundings): Server {
  const server = new Server(
    { name: "sdk1", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));

  /** Related to a request, the question goes out on its stream. */
  async function ask(topic: unknown, relation: { relatedRequestId?: string | number } = {}) {
    const question = { message: `Who asks about ${topic}?`, requestedSchema: FORM };
    const { action, content } = await server.request(
      { method: "elicitation/create", params: question },
      ElicitResultSchema,
      relation,
    );
    return {
      content: [{ type: "text" as const, text: `${topic}: ${action} ${JSON.stringify(content)}` }],
    };
  }

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    ran(params.name);
    const topic = params.arguments?.topic;
    switch (params.name) {
      case "add": {
        const sum = Number(params.arguments?.a) + Number(params.arguments?.b);
        return { content: [{ type: "text", text: String(sum) }], structuredContent: { sum } };
      }
      case "ask":
        return ask(topic);
      case "ask_here":
        return ask(topic, { relatedRequestId: requestId });
      case "wait_and_ask":
        await released();
        return ask(topic);
      case "wait":
        await released();
        return { content: [{ type: "text", text: "waited" }] };
      case "think": {
        const thought = { messages: [], maxTokens: 1 };
        const relation = { relatedRequestId: requestId };
        await server.request(
          { method: "sampling/createMessage", params: thought },
          CreateMessageResultSchema,
          relation,
        );
        return { content: [] };
      }
      default:
        return { content: [{ type: "text", text: `${params.name} is out of order` }], isError: true };
    }
  });
  return server;
}
