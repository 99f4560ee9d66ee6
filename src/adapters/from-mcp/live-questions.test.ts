import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "@modelcontextprotocol/client";
import { CallError, type InputAnswer, type InputRequest } from "../../core/index.ts";
import { LiveQuestions } from "./live-questions.ts";

const form = (message: string, schema: object = { type: "object" }) => ({
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

const accept = async (): Promise<InputAnswer> => ({ action: "accept", content: {} });

describe("a question that is asked while a call runs", () => {
  test("goes to the caller as it is, and the answer back with its defaults", async () => {
    const schema = { type: "object", properties: { name: { type: "string", default: "John" } } };
    const { live, asked } = asking(accept);
    assert.deepEqual(await live.ask(form("Who?", schema)), { action: "accept", content: { name: "John" } });
    assert.deepEqual(
      asked.map(({ message, schema: shown, state }) => [message, shown, state]),
      [["Who?", schema, { live: 1 }]],
    );
    assert.equal(live.refusal, undefined);
  });

  test("is known again by what it asks when the call runs again, in whatever order", async () => {
    const first = asking(accept);
    for (const message of ["A?", "B?", "A?"]) await first.live.ask(form(message));
    const again = asking(accept);
    for (const message of ["B?", "A?", "A?"]) await again.live.ask(form(message));
    const keys = ({ asked }: typeof first) => asked.map(({ key }) => key).sort();
    assert.deepEqual(keys(again), keys(first));
    assert.equal(new Set(keys(first)).size, 3, "the same asked twice is two questions");
    const other = asking(accept);
    await other.live.ask(form("A?", { type: "object", properties: { a: {} } }));
    assert.ok(!keys(first).includes(other.asked[0]?.key ?? ""), "another form is another question");
    first.live.begin();
    await first.live.ask(form("A?"));
    assert.equal(first.asked.at(-1)?.key, first.asked[0]?.key, "also where only the call is sent again");
  });

  test("is given up at once when the call ends, and that is no refusal", async () => {
    const end = new AbortController();
    const { live } = asking(() => new Promise(() => {}), { signal: end.signal });
    const answer = live.ask(form("Who?"));
    end.abort(new CallError("ABORTED", "gone"));
    await assert.rejects(answer, (error) => error instanceof ProtocolError && /ended/.test(error.message));
    assert.equal(live.refusal, undefined);
    await assert.rejects(live.ask(form("And now?")), ProtocolError);
  });

  test("that the caller cannot be asked is told to both sides, in the same words", async () => {
    const refusal = new CallError("INVALID_OPERATION_TYPE", "Use another client.");
    const { live } = asking(() => Promise.reject(refusal));
    await assert.rejects(
      live.ask(form("Who?")),
      (error) => error instanceof ProtocolError && error.message === "Use another client.",
    );
    assert.equal(live.refusal, refusal);
    live.begin();
    assert.equal(live.refusal, undefined);
  });

  test("what fails unexpectedly is not told to the server", async () => {
    const { live } = asking(() => Promise.reject(new Error("secret of ours")));
    await assert.rejects(live.ask(form("Who?")), /nobody can be asked/);
  });

  test("without end is ended, within one run and over calls that run again", async () => {
    const { live } = asking(accept);
    for (let time = 0; time < 10; time++) await live.ask(form(`${time}?`));
    await assert.rejects(live.ask(form("More?")), /asked 10 times without coming to an end/);
    assert.equal(live.refusal?.code, "MCP_TOOL_ERROR");

    const last = asking(accept, { resume: { live: 10 } });
    await last.live.ask(form("One of ten?"));
    const late = asking(accept, { resume: { live: 11 } });
    await assert.rejects(late.live.ask(form("More?")), /asked 10 times/);
  });
});
