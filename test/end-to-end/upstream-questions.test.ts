import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { resultOf, type WireMessage } from "../support/mcp-wire.ts";
import { outcomeOf, startConfigured, until } from "../support/scripted-upstream/index.ts";
import { type Sdk1Server, serveSdk1 } from "../support/sdk1-server.ts";

const CAN_ELICIT = { capabilities: { elicitation: { form: {} } } };

interface Question {
  readonly key: string;
  readonly message: string;
  readonly schema: unknown;
  readonly state: unknown;
}

/** A gateway in front of a server of SDK 1, and callers of 2026-07-28 who can be asked. */
async function start(t: TestContext, more: object = {}) {
  const server = await serveSdk1();
  t.after(() => server.close());
  const source = { mcp: server.url.href, allowPrivate: true, external: "*", ...more };
  const { call, post } = await startConfigured(t, { sources: { old: source } });
  return {
    server,
    call,
    ask: (tool: string, topic: string, wire: object = {}) =>
      post(`old/${tool}`, { topic }, {}, { ...CAN_ELICIT, ...wire }),
    answer: (tool: string, topic: string, { key, state }: Question, response: object) =>
      post(
        `old/${tool}`,
        { topic },
        { requestState: state, inputResponses: { [key]: response } },
        CAN_ELICIT,
      ),
  };
}

const accept = (name?: string) => ({ action: "accept", content: name === undefined ? {} : { name } });

function questionIn({ result }: WireMessage): Question {
  assert.equal(result?.resultType, "input_required", JSON.stringify(result));
  const [[key, request], ...others] = Object.entries(result?.inputRequests as object) as [[string, Asked]];
  assert.deepEqual(others, []);
  const { message, requestedSchema: schema } = request.params;
  return { key, message, schema, state: result?.requestState };
}

interface Asked {
  readonly params: { readonly message: string; readonly requestedSchema: unknown };
}

function textIn(message: WireMessage): unknown {
  const [block] = resultOf(message).content as readonly { readonly text?: string }[];
  return block?.text;
}

const errorIn = (message: WireMessage) => outcomeOf(message).error;

for (const [where, tool] of [
  ["on the stream of the call", "ask_here"],
  ["on no request's stream", "ask"],
] as const) {
  describe(`a server of before 2026-07-28 that asks ${where}`, () => {
    test(`a server of before 2026-07-28, asking ${where}, asks the caller in front of the gateway, and is answered when the call is made again`, async (t) => {
      const { server, ask, answer } = await start(t);
      const question = questionIn(await ask(tool, "bees"));
      assert.equal(question.message, "Who asks about bees?");
      assert.deepEqual(question.schema, {
        type: "object",
        properties: { name: { type: "string", default: "nobody" } },
      });
      assert.equal(server.runs(tool), 1);
      assert.equal(
        textIn(await answer(tool, "bees", question, accept("Ada"))),
        'bees: accept {"name":"Ada"}',
      );
      assert.equal(server.runs(tool), 2, "once to hear the question, once with the answer");
    });

    test(`a server of before 2026-07-28, asking ${where}, gets the defaults of its form for what the caller leaves open`, async (t) => {
      const { ask, answer } = await start(t);
      const question = questionIn(await ask(tool, "bees"));
      assert.equal(textIn(await answer(tool, "bees", question, accept())), 'bees: accept {"name":"nobody"}');
    });

    for (const action of ["decline", "cancel"]) {
      test(`a server of before 2026-07-28, asking ${where}, learns of a caller that answers with ${action}`, async (t) => {
        const { ask, answer } = await start(t);
        const question = questionIn(await ask(tool, "bees"));
        assert.equal(textIn(await answer(tool, "bees", question, { action })), `bees: ${action} undefined`);
      });
    }

    test(`a server of before 2026-07-28, asking ${where}, does not ask callers that cannot answer: the call fails with a clear error`, async (t) => {
      const { call } = await start(t);
      const { error } = await call(`old/${tool}`, { topic: "bees" });
      assert.equal(error?.code, "INVALID_OPERATION_TYPE");
      assert.match(error.message, /asks for input .* a client that supports elicitation/);
    });

    test(`a server of before 2026-07-28, asking ${where}, does not ask where the operator forbids questions`, async (t) => {
      const { ask } = await start(t, { relayQuestions: false });
      const error = errorIn(await ask(tool, "bees"));
      assert.equal(error?.code, "MCP_TOOL_ERROR");
      assert.match(error.message, /elicitation\/create is not answered by a gateway; take what is needed as/);
    });
  });
}

describe("callers of one server of before 2026-07-28", () => {
  test("callers of one server of before 2026-07-28 at the same time get their own questions and answers, over one session", async (t) => {
    const { server, ask, answer } = await start(t);
    const topics = Array.from({ length: 12 }, (_, index) => `topic ${index}`);
    const questions = await Promise.all(
      topics.map(async (topic) => questionIn(await ask("ask_here", topic))),
    );
    assert.deepEqual(
      questions.map(({ message }) => message),
      topics.map((topic) => `Who asks about ${topic}?`),
    );
    const answers = await Promise.all(
      questions.map((question, index) =>
        answer("ask_here", topics[index] ?? "", question, accept(`name ${index}`)),
      ),
    );
    assert.deepEqual(
      answers.map(textIn),
      topics.map((topic, index) => `${topic}: accept {"name":"name ${index}"}`),
    );
    assert.equal(server.sessions(), 1);
  });

  test("callers of one server of before 2026-07-28 only get questions that are certainly theirs", async (t) => {
    const { server, ask, call, answer } = await start(t);
    const other = call("old/wait");
    await running(server, "wait");
    const error = errorIn(await ask("ask", "bees"));
    assert.equal(error?.code, "MCP_TOOL_ERROR");
    assert.match(
      error.message,
      /not certain which call this question belongs to; ask on the stream of the call/,
    );
    server.release();
    assert.deepEqual((await other).content, [{ type: "text", text: "waited" }]);
    const question = questionIn(await ask("ask", "bees"));
    assert.match(
      String(textIn(await answer("ask", "bees", question, accept("Ada")))),
      /accept {"name":"Ada"}/,
    );
  });

  test("callers of one server of before 2026-07-28 never get the question of one who has left", async (t) => {
    const { server, ask, answer } = await start(t);
    const leaving = new AbortController();
    const left = ask("wait_and_ask", "secrets", { signal: leaving.signal });
    await running(server, "wait_and_ask");
    leaving.abort();
    await assert.rejects(left);
    const other = ask("wait_and_ask", "bees");
    await running(server, "wait_and_ask", 2);
    // Now both ask, and only one of them is still being waited for.
    server.release();
    const refused = errorIn(await other);
    assert.match(String(refused?.message), /not certain which call this question belongs to/);
    const question = questionIn(await ask("ask", "bees"));
    assert.equal(question.message, "Who asks about bees?", "in a new session it is certain again");
    assert.match(
      String(textIn(await answer("ask", "bees", question, accept("Ada")))),
      /accept {"name":"Ada"}/,
    );
  });

  test("callers of one server of before 2026-07-28 learn that a server wants what no gateway can give", async (t) => {
    const { call } = await start(t);
    const { error } = await call("old/think");
    assert.equal(error?.code, "MCP_TOOL_ERROR");
    assert.match(error.message, /sampling\/createMessage is not answered by a gateway/);
  });
});

/** Waits until a tool is being run. */
async function running(server: Sdk1Server, tool: string, times = 1): Promise<void> {
  await until(() => server.runs(tool) >= times);
}
