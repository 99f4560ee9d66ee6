import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bring, contextWith, scripted } from "../../../test/support/scripted-api.ts";

describe("streams", () => {
  const operation = { responses: { 200: { description: "", content: { "text/event-stream": {} } } } };
  const items = async (body: string, type = "text/event-stream", options: object = {}) => {
    const { handler } = await bring(operation, {
      ...options,
      outbound: scripted(() => new Response(body, { headers: { "content-type": type } })),
    });
    assert.ok(handler.kind === "stream");
    const found: unknown[] = [];
    for await (const item of handler.run({}, contextWith())) found.push(item);
    return found;
  };

  const EVENTS = 'data: {"a":1}\n\nevent: add\nid: 7\ndata: plain\n\ndata: [DONE]\n\ndata: 2\n\n';

  test("a stream yields the data of each event, named or not, up to the end", async () => {
    assert.deepEqual(await items(EVENTS), [{ a: 1 }, "plain"]);
    assert.deepEqual(await items("[1]", "application/json"), [[1]]);
    assert.deepEqual(await items("data: 1\n\n", "Text/Event-Stream; charset=utf-8"), [1]);
  });

  test("a stream yields whole events where the operator asks for them, always in one shape", async () => {
    const operations = { do: { events: "full" } };
    assert.deepEqual(await items(EVENTS, "text/event-stream", { operations }), [
      { event: "message", data: { a: 1 } },
      { event: "add", id: "7", data: "plain" },
    ]);
    assert.deepEqual(await items("[1]", "application/json", { operations }), [
      { event: "message", data: [1] },
    ]);
  });

  test("a stream that ends with an error event fails with its data", async () => {
    await assert.rejects(items('event: error\ndata: {"why":"x"}\n\n'), {
      code: "STREAM_ERROR",
      details: { data: { why: "x" } },
    });
  });
});
