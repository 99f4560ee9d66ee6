import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InputRequiredResult } from "@modelcontextprotocol/client";
import { CallError, type InputAnswer, type InputRequest } from "../../core/index.ts";
import { Questions, type Resumption } from "./questions.ts";

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
  test("are none where it answers", async () => {
    const { sent, send } = upstream("at once");
    const context = caller(() => accept(""));
    assert.equal(await new Questions(context, "up/x").untilAnswered(send), "at once");
    assert.deepEqual([sent, context.asked], [[{}], []]);
  });

  test("are asked round by round, and the answers go back with the state", async () => {
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

  test("go on where they stood when the call runs again with an answer", async () => {
    const first = caller(() => accept("Ada"));
    await new Questions(first, "up/x").untilAnswered(upstream(ask({ q: form("Who?") }, "s1")).send);
    const resumed = caller(() => accept("Ada"), first.asked[0]?.state);
    const { sent, send } = upstream("done");
    assert.equal(await new Questions(resumed, "up/x").untilAnswered(send), "done");
    assert.equal(resumed.asked[0]?.key, "1.q");
    assert.deepEqual(sent, [{ inputResponses: { q: accept("Ada") }, requestState: "s1" }]);
  });

  test("of one round are asked together, and none of them if one cannot be", async () => {
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

  test("that cannot be answered end in the error of whoever could not be asked", async () => {
    const refusal = new CallError("INVALID_OPERATION_TYPE", "nobody is there");
    const context = { resume: undefined, requestInput: () => Promise.reject(refusal) };
    const { send } = upstream(ask({ q: form("Who?") }));
    await assert.rejects(new Questions(context, "up/x").untilAnswered(send), refusal);
  });

  test("without end are ended, also over calls that run again", async () => {
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

  test("do not begin anew for a state that is none of ours", async () => {
    const context = caller(() => accept("Ada"), { number: "1" });
    const { sent, send } = upstream("done");
    await new Questions(context, "up/x").untilAnswered(send);
    assert.deepEqual(sent, [{}]);
  });
});
