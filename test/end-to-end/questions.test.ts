import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { defineOperation, definePlugin, type Identity, type OperationContext } from "pinhole/core";
import {
  answerOf,
  type ModernOptions,
  postLegacy,
  postModern,
  resultOf,
  type WireMessage,
} from "../support/mcp-wire.ts";
import { serveRuntime } from "../support/serve.ts";

type Answers = Readonly<Record<string, { readonly action: string; readonly content?: object }>>;

const CAN_ELICIT = { elicitation: { form: {} } };

const text = (field: string) => ({
  type: "object",
  properties: { [field]: { type: "string" } },
  required: [field],
});

async function ask({ requestInput }: OperationContext, key: string): Promise<string> {
  const { action, content } = await requestInput({ key, message: `Which ${key}?`, schema: text(key) });
  return action === "accept" ? ((content as Record<string, string>)[key] ?? "") : action;
}

const to = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;

const travel = definePlugin({
  name: "travel",
  operations: [
    defineOperation({
      name: "travel/reserve",
      type: "mutation",
      description: "Reserves a seat, which it asks for.",
      inputSchema: to,
      handler: async (input, context) => `${input.to}: ${await ask(context, "seat")}`,
    }),
    defineOperation({
      name: "travel/book",
      type: "mutation",
      description: "Asks for a seat, then for a meal.",
      inputSchema: to,
      handler: async (input, context) => {
        const seat = await ask(context, "seat");
        return `${input.to}: ${seat}, ${await ask(context, "meal")}`;
      },
    }),
    defineOperation({
      name: "travel/both",
      type: "mutation",
      description: "Asks for a seat and a meal at once.",
      handler: async (_input, context) => Promise.all([ask(context, "seat"), ask(context, "meal")]),
    }),
    defineOperation({
      name: "travel/odd",
      type: "mutation",
      description: "Asks for something whose name every object has.",
      inputSchema: to,
      handler: (_input, context) => ask(context, "constructor"),
    }),
  ],
});

const resolveIdentity = async (token: string): Promise<Identity> => ({
  id: token,
  authenticated: true,
  scopes: [],
});

describe("a call that asks its client for something", () => {
  const stateKey = randomBytes(32);
  let server: Awaited<ReturnType<typeof serveRuntime>>;
  let replica: Awaited<ReturnType<typeof serveRuntime>>;
  let stranger: Awaited<ReturnType<typeof serveRuntime>>;

  before(async () => {
    const options = { sources: [travel], resolveIdentity };
    server = await serveRuntime({ ...options, stateKey });
    replica = await serveRuntime({ ...options, stateKey });
    stranger = await serveRuntime(options);
  });
  after(() => Promise.all([server, replica, stranger].map((one) => one.close(0))));

  for (const { rounds, operation, questions, output } of [
    { rounds: "one round", operation: "travel/reserve", questions: ["Which seat?"], output: "Rome: 12A" },
    {
      rounds: "two rounds",
      operation: "travel/book",
      questions: ["Which seat?", "Which meal?"],
      output: "Rome: 12A, fish",
    },
  ]) {
    test(`a call that asks its client for something gets its answers in ${rounds} from a client that answers by itself`, async () => {
      const wanted: string[] = [];
      const client = new Client(
        { name: "end-to-end", version: "0" },
        { capabilities: CAN_ELICIT, versionNegotiation: { mode: "auto" } },
      );
      client.setRequestHandler("elicitation/create", ({ params }) => {
        wanted.push(params.message);
        return { action: "accept", content: { seat: "12A", meal: "fish" } };
      });
      await client.connect(new StreamableHTTPClientTransport(server.mcpUrl));
      const result = await client.callTool({
        name: "call",
        arguments: { operation, input: { to: "Rome" } },
      });
      assert.deepEqual(result.structuredContent, { output });
      assert.deepEqual(wanted, questions);
      await client.close();
    });
  }

  test("a call that asks its client for something asks in its result: the message, the form, and a state to bring back", async () => {
    const { result } = await call(server.mcpUrl, "travel/reserve");
    assert.equal(result?.resultType, "input_required");
    assert.deepEqual(result?.inputRequests, {
      seat: {
        method: "elicitation/create",
        params: { mode: "form", message: "Which seat?", requestedSchema: text("seat") },
      },
    });
    assert.equal(typeof result?.requestState, "string");
    assert.ok(!String(result?.requestState).includes("Rome"));
  });

  test("a call that asks its client for something asks for several things at once where the handler does", async () => {
    const first = await call(server.mcpUrl, "travel/both", { input: {} });
    assert.deepEqual(Object.keys(first.result?.inputRequests as object), ["seat", "meal"]);
    const answers = { ...accept("seat", "12A"), ...accept("meal", "fish") };
    const second = await call(server.mcpUrl, "travel/both", { input: {}, state: stateOf(first), answers });
    assert.deepEqual(outputOf(second), ["12A", "fish"]);
  });

  for (const action of ["decline", "cancel"]) {
    test(`a call that asks its client for something is told of a client that answers with ${action}`, async () => {
      const first = await call(server.mcpUrl, "travel/reserve");
      const answers = { seat: { action } };
      const second = await call(server.mcpUrl, "travel/reserve", { state: stateOf(first), answers });
      assert.equal(outputOf(second), `Rome: ${action}`);
    });
  }

  test("a call that asks its client for something asks again where the answer is missing", async () => {
    const first = await call(server.mcpUrl, "travel/reserve");
    const answers = accept("something-else", "12A");
    const second = await call(server.mcpUrl, "travel/reserve", { state: stateOf(first), answers });
    assert.equal(second.result?.resultType, "input_required");
  });

  test("a call that asks its client for something may ask for something whose name every object has", async () => {
    const first = await call(server.mcpUrl, "travel/odd");
    const answers = accept("constructor", "Brunel");
    const second = await call(server.mcpUrl, "travel/odd", { state: stateOf(first), answers });
    assert.equal(outputOf(second), "Brunel");
  });

  test("a call that asks its client for something goes on at another server that has the same key", async () => {
    const first = await call(server.mcpUrl, "travel/book");
    const second = await call(replica.mcpUrl, "travel/book", {
      state: stateOf(first),
      answers: accept("seat", "12A"),
    });
    assert.deepEqual(Object.keys(second.result?.inputRequests as object), ["meal"]);
    const third = await call(server.mcpUrl, "travel/book", {
      state: stateOf(second),
      answers: accept("meal", "fish"),
    });
    assert.equal(outputOf(third), "Rome: 12A, fish");
  });

  test("a call that asks its client for something is refused at a server that has another key", async () => {
    const first = await call(server.mcpUrl, "travel/reserve");
    assertRefused(await call(stranger.mcpUrl, "travel/reserve", { state: stateOf(first) }));
  });

  test("a call that asks its client for something is refused with a state that was tampered with", async () => {
    const state = stateOf(await call(server.mcpUrl, "travel/reserve"));
    const middle = Math.floor(state.length / 2);
    const flipped = state[middle] === "A" ? "B" : "A";
    for (const wrong of [
      state.slice(0, middle) + flipped + state.slice(middle + 1),
      state.slice(0, -1),
      `${state}A`,
      "",
      "not a state",
    ]) {
      assertRefused(await call(server.mcpUrl, "travel/reserve", { state: wrong }), wrong);
    }
  });

  test("a call that asks its client for something is refused with the state of another identity, or of none", async () => {
    const state = stateOf(await call(server.mcpUrl, "travel/reserve", { wire: { token: "ada" } }));
    const answers = accept("seat", "12A");
    for (const wire of [{ token: "bob" }, {}]) {
      assertRefused(await call(server.mcpUrl, "travel/reserve", { state, answers, wire }));
    }
    const own = await call(server.mcpUrl, "travel/reserve", { state, answers, wire: { token: "ada" } });
    assert.equal(outputOf(own), "Rome: 12A");
  });

  test("a call that asks its client for something is refused with the state of a call of another input, operation or selection", async () => {
    const state = stateOf(await call(server.mcpUrl, "travel/reserve"));
    const answers = accept("seat", "12A");
    for (const other of [
      await call(server.mcpUrl, "travel/reserve", { state, answers, input: { to: "Oslo" } }),
      await call(server.mcpUrl, "travel/book", { state, answers }),
      await call(server.mcpUrl, "travel/reserve", { state, answers, select: "@" }),
    ]) {
      const { code, message } = errorOf(other);
      assert.equal(code, "INVALID_INPUT");
      assert.match(message, /belong to another call/);
    }
  });

  test("a call that asks its client for something fails with a clear error for clients that cannot be asked", async () => {
    const params = { name: "call", arguments: { operation: "travel/reserve", input: { to: "Rome" } } };
    for (const response of [
      await postModern(server.mcpUrl, "tools/call", params),
      await postLegacy(server.mcpUrl, { id: 1, method: "tools/call", params }, { version: "2025-11-25" }),
    ]) {
      const { code, message } = errorOf(await answerOf(response));
      assert.equal(code, "INVALID_OPERATION_TYPE");
      assert.match(message, /travel\/reserve asks for input .* a client that supports elicitation/);
    }
  });

  test("a call that asks its client for something fails with a clear error as an item of a batch, and the others do not", async () => {
    const calls = [
      { operation: "travel/reserve", input: { to: "Rome" } },
      { operation: "services/search", select: "namespaces[].name" },
    ];
    const params = { name: "batch", arguments: { calls } };
    const response = await postModern(server.mcpUrl, "tools/call", params, { capabilities: CAN_ELICIT });
    const { structuredContent: data } = resultOf(await answerOf(response));
    const { results } = data as { results: { error?: Problem; output?: unknown }[] };
    assert.equal(results[0]?.error?.code, "INVALID_OPERATION_TYPE");
    assert.match(results[0].error.message, /batch.*Run it with call/);
    assert.deepEqual(results[1]?.output, ["services", "travel"]);
  });
});

interface Problem {
  readonly code: string;
  readonly message: string;
}

interface Round {
  readonly input?: object;
  readonly select?: string;
  readonly state?: string;
  readonly answers?: Answers;
  readonly wire?: ModernOptions;
}

/** One round of a call, by a client that can be asked. */
async function call(url: URL, operation: string, round: Round = {}): Promise<WireMessage> {
  const { input = { to: "Rome" }, select, state, answers, wire } = round;
  const params = {
    name: "call",
    arguments: { operation, input, ...(select !== undefined && { select }) },
    ...(state !== undefined && { requestState: state }),
    ...(answers && { inputResponses: answers }),
  };
  return answerOf(await postModern(url, "tools/call", params, { capabilities: CAN_ELICIT, ...wire }));
}

function accept(key: string, value: string): Answers {
  return { [key]: { action: "accept", content: { [key]: value } } };
}

function stateOf({ result }: WireMessage): string {
  assert.equal(result?.resultType, "input_required");
  return String(result?.requestState);
}

function outputOf(message: WireMessage): unknown {
  const { resultType, structuredContent } = resultOf(message);
  assert.equal(resultType, "complete");
  return (structuredContent as { output: unknown }).output;
}

function errorOf(message: WireMessage): Problem {
  const { isError, structuredContent } = resultOf(message);
  assert.equal(isError, true);
  return (structuredContent as { error: Problem }).error;
}

function assertRefused({ error, result }: WireMessage, hint?: string): void {
  assert.equal(result, undefined, hint);
  assert.equal(error?.code, -32602, hint);
}
