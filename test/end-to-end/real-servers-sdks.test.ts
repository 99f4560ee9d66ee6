import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
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
import { type GatewayClient, startGatewayClient } from "../support/gateway-client.ts";
import { type Sdk1Server, serveSdk1 } from "../support/sdk1-server.ts";

/** A server of 2026-07-28. */
interface Sdk2Server {
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
async function serveSdk2(): Promise<Sdk2Server> {
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

describe("a server of SDK 1 with sessions, behind the gateway", () => {
  let server: Sdk1Server;
  let front: GatewayClient;

  before(async () => {
    server = await serveSdk1();
    front = await startGatewayClient({ old: server.url });
  });

  after(async () => {
    await front?.close();
    await server?.close();
  });

  test("a server of SDK 1 behind the gateway is found, shown and called, all in one session", async () => {
    assert.ok((await front.search("add numbers")).includes("old/add"));
    assert.equal((await front.schema("old/add")).type, "mutation");
    for (const b of [1, 2, 3])
      assert.deepEqual((await front.call("old/add", { a: 1, b })).output, { sum: 1 + b });
    assert.equal(server.sessions(), 1);
  });

  test("a server of SDK 1 behind the gateway fails in its own words", async () => {
    const { error } = await front.call("old/fail");
    assert.equal(error?.code, "MCP_TOOL_ERROR");
    assert.match(error.message, /^old\/fail failed: fail is out of order/);
  });

  test("a server of SDK 1 behind the gateway that asks a client that cannot be asked fails at once, and says what to do", async () => {
    const { error } = await front.call("old/ask");
    assert.equal(error?.code, "INVALID_OPERATION_TYPE");
    assert.match(error.message, /old\/ask asks for input .* a client that supports elicitation/);
  });

  test("a server of SDK 1 behind the gateway that has lost its sessions is called in a new one, once for many callers", async () => {
    server.forget();
    const before = server.sessions();
    const answers = await Promise.all([1, 2, 3, 4].map((b) => front.call("old/add", { a: 1, b })));
    assert.deepEqual(
      answers.map(({ output }) => output),
      [{ sum: 2 }, { sum: 3 }, { sum: 4 }, { sum: 5 }],
    );
    assert.equal(server.sessions(), before + 1);
  });

  test("a server of SDK 1 behind the gateway that offers a new tool is listed anew at once", async () => {
    await untilFound(front, "old/latecomer", () => server.offer("latecomer"));
  });
});

describe("a server of SDK 2 for 2026-07-28 only, behind the gateway", () => {
  const asked: string[] = [];
  let answer: (question: string) => ElicitResult;
  let server: Sdk2Server;
  let front: GatewayClient;

  before(async () => {
    server = await serveSdk2();
    front = await startGatewayClient(
      { new: server.url },
      {
        capabilities: { elicitation: { form: {} } },
        prepare: (client) =>
          client.setRequestHandler("elicitation/create", ({ params }) => {
            const { message, requestedSchema } = params as ElicitRequestFormParams;
            assert.deepEqual(requestedSchema.required, ["value"]);
            asked.push(message);
            return answer(message);
          }),
      },
    );
  });

  after(async () => {
    await front?.close();
    await server?.close();
  });

  test("a server of SDK 2 behind the gateway is found, shown and called", async () => {
    assert.ok((await front.search("weather of a city")).includes("new/weather"));
    assert.equal((await front.schema("new/weather")).type, "query");
    const { output } = await front.call("new/weather", { city: "Rome" });
    assert.deepEqual(output, [{ hour: 9 }, { hour: 12 }]);
  });

  test("a server of SDK 2 behind the gateway asks the client in front of the gateway, round after round, and gets its answers", async () => {
    answer = (question) => ({
      action: "accept",
      content: { value: question.includes("seat") ? "12A" : "soup" },
    });
    const { content } = await front.call("new/book", { to: "Rome" });
    assert.deepEqual(content, [{ type: "text", text: "Rome, seat 12A, soup" }]);
    assert.deepEqual(asked, ["Which seat?", "Which meal?"]);
  });

  test("a server of SDK 2 behind the gateway learns that the client declines", async () => {
    answer = () => ({ action: "decline" });
    const { content } = await front.call("new/book", { to: "Rome" });
    assert.deepEqual(content, [{ type: "text", text: "Not booked." }]);
  });

  test("a server of SDK 2 behind the gateway that asks for what no gateway can give fails with a clear error", async () => {
    const { error } = await front.call("new/think");
    assert.equal(error?.code, "INVALID_OPERATION_TYPE");
    assert.match(error.message, /new\/think/);
  });

  test("a server of SDK 2 behind the gateway that offers a new tool is listed anew at once", async () => {
    await untilFound(front, "new/latecomer", () => server.offer("latecomer"));
  });
});

/** Tells of it more than once: a stream that is only just being opened misses what is told meanwhile. */
async function untilFound(front: GatewayClient, operation: string, tell: () => unknown): Promise<void> {
  const giveUp = Date.now() + 10_000;
  do {
    assert.ok(Date.now() < giveUp, `${operation} is not listed`);
    await tell();
    await sleep(100);
  } while (!(await front.search("came later than the others")).includes(operation));
}
