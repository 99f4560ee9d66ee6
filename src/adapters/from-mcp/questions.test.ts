import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type InputRequiredResult, ProtocolError } from "@modelcontextprotocol/client";
import { CallError, type InputAnswer, type InputRequest } from "../../core/index.ts";
import { closedTo, LiveQuestions, Questions, type Resumption, toResponse } from "./questions.ts";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", default: "John" },
    age: { type: "integer", default: 0 },
    agreed: { type: "boolean", default: false },
    city: { type: "string" },
    odd: true,
  },
};

test("an accepted form gets defaults for open fields and keeps the others", () => {
  for (const [content, sent] of [
    [undefined, { name: "John", age: 0, agreed: false }],
    [{}, { name: "John", age: 0, agreed: false }],
    [
      { name: "", agreed: true, city: "Rome" },
      { name: "", agreed: true, city: "Rome", age: 0 },
    ],
    ["no form", "no form"],
  ] as const) {
    const answer: InputAnswer = { action: "accept", ...(content !== undefined && { content }) };
    assert.deepEqual(toResponse(answer, SCHEMA), { action: "accept", content: sent });
  }
  assert.deepEqual(toResponse({ action: "accept", content: { a: 1 } }, {}), {
    action: "accept",
    content: { a: 1 },
  });
});

test("a default applies even if every object inherits a property of that name", () => {
  const schema = { properties: { constructor: { type: "string", default: "Brunel" } } };
  assert.deepEqual(toResponse({ action: "accept", content: {} }, schema), {
    action: "accept",
    content: { constructor: "Brunel" },
  });
});

test("a declined or cancelled form has no content", () => {
  for (const action of ["decline", "cancel"] as const)
    assert.deepEqual(toResponse({ action, content: { name: "Ada" } }, SCHEMA), { action });
});

test("a source whose questions are not relayed says so, and what to do", async () => {
  const request = { key: "k", message: "m", schema: {} };
  await assert.rejects(
    closedTo("up/x").requestInput(request),
    /^CallError: up\/x asks .*relayQuestions: false/,
  );
});

const schema = { type: "object", properties: { name: { type: "string" } } };
const form = (message: string) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: schema },
});
const ask = (inputRequests: object, requestState?: string) =>
  ({ resultType: "input_required", inputRequests, requestState }) as unknown as InputRequiredResult;
const accept = (name: string): InputAnswer => ({ action: "accept", content: { name } });

/** Answers one after the other, and keeps what it was sent. */
function upstream(...answers: readonly (InputRequiredResult | string)[]) {
  const sent: Resumption[] = [];
  return { sent, send: async (resumption: Resumption) => answers[sent.push(resumption) - 1] ?? "done" };
}

function caller(answer: (request: InputRequest) => InputAnswer, resume?: unknown) {
  const asked: InputRequest[] = [];
  const requestInput = async (request: InputRequest) => {
    asked.push(request);
    return answer(request);
  };
  return { asked, resume, requestInput };
}

describe("the questions of an upstream", () => {
  test("an upstream that answers asks no questions", async () => {
    const { sent, send } = upstream("at once");
    const context = caller(() => accept(""));
    assert.equal(await new Questions(context, "up/x").untilAnswered(send), "at once");
    assert.deepEqual([sent, context.asked], [[{}], []]);
  });

  test("questions are asked round by round, and the answers go back with the state", async () => {
    const { sent, send } = upstream(ask({ q: form("Who?") }, "s1"), ask({ q: form("Sure?") }, "s2"), "done");
    const context = caller(({ message }) => (message === "Who?" ? accept("Ada") : { action: "decline" }));
    assert.equal(await new Questions(context, "up/x").untilAnswered(send), "done");
    assert.deepEqual(sent, [
      {},
      { inputResponses: { q: { action: "accept", content: { name: "Ada" } } }, requestState: "s1" },
      { inputResponses: { q: { action: "decline" } }, requestState: "s2" },
    ]);
    assert.deepEqual(
      context.asked.map(({ key, message, schema: wanted }) => [key, message, wanted]),
      [
        ["1.q", "Who?", schema],
        ["2.q", "Sure?", schema],
      ],
    );
  });

  test("questions continue where they stopped when the call runs again with an answer", async () => {
    const first = caller(() => accept("Ada"));
    await new Questions(first, "up/x").untilAnswered(upstream(ask({ q: form("Who?") }, "s1")).send);
    const resumed = caller(() => accept("Ada"), first.asked[0]?.state);
    const { sent, send } = upstream("done");
    assert.equal(await new Questions(resumed, "up/x").untilAnswered(send), "done");
    assert.equal(resumed.asked[0]?.key, "1.q");
    assert.deepEqual(sent, [{ inputResponses: { q: accept("Ada") }, requestState: "s1" }]);
  });

  test("questions of one round are asked together, and none of them if one is unsupported", async () => {
    const context = caller(() => accept("Ada"));
    await new Questions(context, "up/x").untilAnswered(upstream(ask({ a: form("A?"), b: form("B?") })).send);
    assert.deepEqual(
      context.asked.map(({ key }) => key),
      ["1.a", "1.b"],
    );

    const unasked = caller(() => accept("Ada"));
    for (const bad of [
      { method: "sampling/createMessage", params: {} },
      { method: "elicitation/create", params: { mode: "url", url: "https://example.com" } },
      "nonsense",
    ]) {
      const { send } = upstream(ask({ a: form("A?"), bad }));
      await assert.rejects(new Questions(unasked, "up/x").untilAnswered(send), (error: CallError) => {
        assert.equal(error.code, "INVALID_OPERATION_TYPE");
        assert.match(
          error.message,
          /^up\/x asks for \S+ while it runs, which a gateway cannot pass on\. Give/,
        );
        return true;
      });
    }
    assert.deepEqual(unasked.asked, []);
  });

  test("questions that the caller cannot answer end in the caller's error", async () => {
    const refusal = new CallError("INVALID_OPERATION_TYPE", "nobody is there");
    const context = { resume: undefined, requestInput: () => Promise.reject(refusal) };
    const { send } = upstream(ask({ q: form("Who?") }));
    await assert.rejects(new Questions(context, "up/x").untilAnswered(send), refusal);
  });

  test("endless questions are ended, also across calls that run again", async () => {
    const context = caller(() => accept("Ada"));
    let rounds = 0;
    const endless = async () => {
      rounds++;
      return ask({ q: form("Who?") });
    };
    const fails = (error: CallError) =>
      error.code === "MCP_TOOL_ERROR" && /asked 10 times/.test(error.message);
    await assert.rejects(new Questions(context, "up/x").untilAnswered(endless), fails);
    assert.equal(rounds, 11);
    const late = caller(() => accept("Ada"), { ...(context.asked.at(-1)?.state as object) });
    await assert.rejects(new Questions(late, "up/x").untilAnswered(endless), fails);
    assert.equal(rounds, 12);
  });

  test("questions do not resume from a foreign state", async () => {
    const context = caller(() => accept("Ada"), { number: "1" });
    const { sent, send } = upstream("done");
    await new Questions(context, "up/x").untilAnswered(send);
    assert.deepEqual(sent, [{}]);
  });
});

const liveForm = (message: string, schema: object = { type: "object" }) => ({
  message,
  requestedSchema: schema as Record<string, unknown>,
});

function asking(
  answer: (request: InputRequest) => Promise<InputAnswer>,
  { resume, signal = new AbortController().signal }: { resume?: unknown; signal?: AbortSignal } = {},
) {
  const asked: InputRequest[] = [];
  const requestInput = (request: InputRequest) => {
    asked.push(request);
    return answer(request);
  };
  return { asked, live: new LiveQuestions({ requestInput, resume }, signal, "up/x") };
}

const acceptEmpty = async (): Promise<InputAnswer> => ({ action: "accept", content: {} });

describe("a question that is asked while a call runs", () => {
  test("a live question goes to the caller unchanged, and the answer back with its defaults", async () => {
    const schema = { type: "object", properties: { name: { type: "string", default: "John" } } };
    const { live, asked } = asking(acceptEmpty);
    assert.deepEqual(await live.ask(liveForm("Who?", schema)), {
      action: "accept",
      content: { name: "John" },
    });
    assert.deepEqual(
      asked.map(({ message, schema: shown, state }) => [message, shown, state]),
      [["Who?", schema, { live: 1 }]],
    );
    assert.equal(live.refusal, undefined);
  });

  test("a live question is recognised by its content when the call runs again, in any order", async () => {
    const first = asking(acceptEmpty);
    for (const message of ["A?", "B?", "A?"]) await first.live.ask(liveForm(message));
    const again = asking(acceptEmpty);
    for (const message of ["B?", "A?", "A?"]) await again.live.ask(liveForm(message));
    const keys = ({ asked }: typeof first) => asked.map(({ key }) => key).sort();
    assert.deepEqual(keys(again), keys(first));
    assert.equal(new Set(keys(first)).size, 3, "the same asked twice is two questions");
    const other = asking(acceptEmpty);
    await other.live.ask(liveForm("A?", { type: "object", properties: { a: {} } }));
    assert.ok(!keys(first).includes(other.asked[0]?.key ?? ""), "another form is another question");
    first.live.begin();
    await first.live.ask(liveForm("A?"));
    assert.equal(first.asked.at(-1)?.key, first.asked[0]?.key, "also where only the call is sent again");
  });

  test("a live question is given up at once when the call ends, without a refusal", async () => {
    const end = new AbortController();
    const { live } = asking(() => new Promise(() => {}), { signal: end.signal });
    const answer = live.ask(liveForm("Who?"));
    end.abort(new CallError("ABORTED", "gone"));
    await assert.rejects(answer, (error) => error instanceof ProtocolError && /ended/.test(error.message));
    assert.equal(live.refusal, undefined);
    await assert.rejects(live.ask(liveForm("And now?")), ProtocolError);
  });

  test("both sides learn in the same words that the caller cannot be asked", async () => {
    const refusal = new CallError("INVALID_OPERATION_TYPE", "Use another client.");
    const { live } = asking(() => Promise.reject(refusal));
    await assert.rejects(
      live.ask(liveForm("Who?")),
      (error) => error instanceof ProtocolError && error.message === "Use another client.",
    );
    assert.equal(live.refusal, refusal);
    live.begin();
    assert.equal(live.refusal, undefined);
  });

  test("an unexpected failure of a live question is not told to the server", async () => {
    const { live } = asking(() => Promise.reject(new Error("secret of ours")));
    await assert.rejects(live.ask(liveForm("Who?")), /there is no caller to ask/);
  });

  test("endless live questions are ended, within one run and across calls that run again", async () => {
    const { live } = asking(acceptEmpty);
    for (let time = 0; time < 10; time++) await live.ask(liveForm(`${time}?`));
    await assert.rejects(live.ask(liveForm("More?")), /asked 10 times without coming to an end/);
    assert.equal(live.refusal?.code, "MCP_TOOL_ERROR");

    const last = asking(acceptEmpty, { resume: { live: 10 } });
    await last.live.ask(liveForm("One of ten?"));
    const late = asking(acceptEmpty, { resume: { live: 11 } });
    await assert.rejects(late.live.ask(liveForm("More?")), /asked 10 times/);
  });
});
