import {
  acceptedContent,
  type CallToolResult,
  createMcpHandler,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { listen } from "../../src/gateway/server/server.ts";

/** A server of 2026-07-28. */
export interface Sdk2Server {
  readonly url: URL;
  /** Offers a tool of that name from now on, and tells everybody who listens. */
  offer(name: string): void;
  close(): Promise<void>;
}

interface Booking {
  readonly seat: string;
}

const KEY = "a key for tests that is thirty-two bytes or longer";
const STATE = createRequestStateCodec<Booking>({ key: KEY, bind: ({ mcpReq }) => mcpReq.method });

const TEXT = { type: "string" } as const;

const TOOLS: readonly Tool[] = [
  {
    name: "weather",
    description: "Tells the weather of a city.",
    inputSchema: { type: "object", properties: { city: TEXT }, required: ["city"] },
    outputSchema: { type: "array", items: { type: "object", properties: { hour: { type: "integer" } } } },
    annotations: { readOnlyHint: true },
  },
  {
    name: "book",
    description: "Books a flight; asks for the seat, then for the meal.",
    inputSchema: { type: "object", properties: { to: TEXT }, required: ["to"] },
  },
  {
    name: "think",
    description: "Asks its client for a model to think with.",
    inputSchema: { type: "object" },
  },
];

/** Serves a few tools with SDK 2 to clients of 2026-07-28 and to no others. */
export async function serveSdk2(): Promise<Sdk2Server> {
  const tools = [...TOOLS];
  const handler = createMcpHandler(() => createServer(tools), { legacy: "reject" });
  const http = await listen({ host: "127.0.0.1", port: 0, fetch: (request) => handler.fetch(request) });
  return {
    url: new URL("/mcp", http.url),
    offer(name) {
      if (!tools.some((tool) => tool.name === name))
        tools.push({ name, description: "Came later than the others.", inputSchema: { type: "object" } });
      handler.notify.toolsChanged();
    },
    async close() {
      await handler.close();
      await http.close(0);
    },
  };
}

function createServer(tools: readonly Tool[]): Server {
  const server = new Server(
    { name: "sdk2", version: "2.0.0" },
    { capabilities: { tools: { listChanged: true } }, requestState: { verify: STATE.verify } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    switch (params.name) {
      case "weather":
        return { content: [], structuredContent: [{ hour: 9 }, { hour: 12 }] as never };
      case "book":
        return book(String(params.arguments?.to), context);
      default:
        return inputRequired({
          inputRequests: {
            thought: inputRequired.createMessage({
              messages: [{ role: "user", content: { type: "text", text: "Think." } }],
              maxTokens: 10,
            }),
          },
        });
    }
  });
  return server;
}

/** Two rounds; the answer of the first travels in the state, under the same key as the second. */
async function book(to: string, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const { mcpReq } = context;
  const state = mcpReq.requestState<Booking>();
  const choice = acceptedContent<{ value: string }>(mcpReq.inputResponses, "choice")?.value;
  if (state !== undefined && choice !== undefined)
    return { content: [{ type: "text", text: `${to}, seat ${state.seat}, ${choice}` }] };
  if (choice !== undefined)
    return inputRequired({
      inputRequests: { choice: ask("Which meal?") },
      requestState: await STATE.mint({ seat: choice }, context),
    });
  if (mcpReq.inputResponses !== undefined) return { content: [{ type: "text", text: "Not booked." }] };
  return inputRequired({ inputRequests: { choice: ask("Which seat?") } });
}

function ask(message: string) {
  const requestedSchema = { type: "object" as const, properties: { value: TEXT }, required: ["value"] };
  return inputRequired.elicit({ message, requestedSchema });
}
