import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { defineOperation, definePlugin, type OperationContext, type SourceSet } from "pinhole/core";
import { deferred } from "../support/deferred.ts";
import { messagesOf, postLegacy, postModern, resultOf, type WireMessage } from "../support/mcp-wire.ts";
import { serveRuntime } from "../support/serve.ts";

const VERSION = "2025-11-25";

/** Operations whose calls the test holds in its hand. */
interface Held {
  readonly sources: readonly SourceSet[];
  /** The context of the next call, as soon as it runs. */
  started(): Promise<OperationContext>;
  /** Lets the running call answer. */
  release(): void;
}

function holdCalls(): Held {
  let start = deferred<OperationContext>();
  let end = deferred<string>();
  const hold = defineOperation({
    name: "hold/on",
    type: "query",
    description: "Answers when the test lets it.",
    handler(_input, context) {
      end = deferred();
      start.resolve(context);
      start = deferred();
      return end.promise;
    },
  });
  const steps = defineOperation({
    name: "hold/steps",
    type: "query",
    description: "Tells its progress and answers.",
    handler(_input, { progress }) {
      for (const step of [1, 2, 2, 1, 3]) progress({ progress: step, total: 3, message: `step ${step}` });
      return "done";
    },
  });
  return {
    sources: [definePlugin({ name: "hold", operations: [hold, steps] })],
    started: () => start.promise,
    release: () => end.resolve("released"),
  };
}

const HOLD = { name: "call", arguments: { operation: "hold/on" } };
const STEPS = { name: "call", arguments: { operation: "hold/steps" } };

describe("a call that takes its time", () => {
  const held = holdCalls();
  let server: Awaited<ReturnType<typeof serveRuntime>>;
  let patient: Awaited<ReturnType<typeof serveRuntime>>;

  before(async () => {
    server = await serveRuntime({ sources: held.sources, slowAfterMs: 10, keepAliveMs: 5 });
    patient = await serveRuntime({ sources: held.sources, slowAfterMs: 60_000 });
  });
  after(async () => {
    await server.close(0);
    await patient.close(0);
  });

  test("a call is answered in JSON while it is quick, for a modern client", async () => {
    const response = await postModern(patient.mcpUrl, "tools/call", STEPS);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(outputsOf(await messagesOf(response)), ["done"]);
  });

  test("a call that takes its time turns into a stream that is kept alive and delivers the result, for a modern client", async () => {
    const response = await postModern(server.mcpUrl, "tools/call", HOLD);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    assert.match(response.headers.get("cache-control") ?? "", /no-transform/);
    assert.deepEqual(outputsOf(await releaseAfterBeats(response)), ["released"]);
  });

  test("a call that takes its time is kept alive and delivered in the stream that a legacy client always has", async () => {
    const message = { id: 5, method: "tools/call", params: HOLD };
    const response = await postLegacy(server.mcpUrl, message, { version: VERSION });
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    assert.deepEqual(outputsOf(await releaseAfterBeats(response)), ["released"]);
  });

  test("a call that takes its time tells its progress to a modern client that gave a token, and it only grows", async () => {
    const response = await postModern(patient.mcpUrl, "tools/call", STEPS, { meta: { progressToken: "t" } });
    const messages = await messagesOf(response);
    assert.deepEqual(progressOf(messages, "t"), [1, 2, 3]);
    assert.deepEqual(outputsOf(messages), ["done"]);
  });

  test("a call that takes its time tells its progress in a stream that has begun already", async () => {
    const running = held.started();
    const response = await postModern(server.mcpUrl, "tools/call", HOLD, { meta: { progressToken: 7 } });
    (await running).progress({ progress: 0.5 });
    held.release();
    const messages = await messagesOf(response);
    assert.deepEqual(progressOf(messages, 7), [0.5]);
    assert.deepEqual(outputsOf(messages), ["released"]);
  });

  test("a call that takes its time tells its progress to a legacy client that gave a token", async () => {
    const params = { ...STEPS, _meta: { progressToken: "t" } };
    const response = await postLegacy(
      server.mcpUrl,
      { id: 5, method: "tools/call", params },
      { version: VERSION },
    );
    assert.deepEqual(progressOf(await messagesOf(response), "t"), [1, 2, 3]);
  });

  test("a call that takes its time tells no progress without a token", async () => {
    const legacy = { id: 5, method: "tools/call", params: STEPS };
    for (const response of [
      await postModern(server.mcpUrl, "tools/call", STEPS),
      await postLegacy(server.mcpUrl, legacy, { version: VERSION }),
    ]) {
      const messages = await messagesOf(response);
      assert.deepEqual(
        messages.filter(({ method }) => method !== undefined),
        [],
      );
      assert.deepEqual(outputsOf(messages), ["done"]);
    }
  });

  test("a call that takes its time lets the items of a batch tell progress that only grows", async () => {
    const batch = { name: "batch", arguments: { calls: [STEPS.arguments, STEPS.arguments] } };
    const response = await postModern(patient.mcpUrl, "tools/call", batch, { meta: { progressToken: "t" } });
    assert.deepEqual(progressOf(await messagesOf(response), "t"), [1, 2, 3]);
  });

  test("a call that takes its time is aborted when a modern client goes away before any answer", async () => {
    const client = new AbortController();
    const running = held.started();
    const { signal } = client;
    const left = assert.rejects(postModern(patient.mcpUrl, "tools/call", HOLD, { signal }));
    await assertAborts(await running, () => client.abort());
    await left;
  });

  test("a call that takes its time is aborted when a modern client closes the stream", async () => {
    const running = held.started();
    const response = await postModern(server.mcpUrl, "tools/call", HOLD);
    await assertAborts(await running, () => response.body?.cancel());
  });

  test("a call that takes its time is aborted when a modern client closes a stream of progress", async () => {
    const running = held.started();
    const pending = postModern(patient.mcpUrl, "tools/call", HOLD, { meta: { progressToken: "t" } });
    const context = await running;
    context.progress({ progress: 1 });
    const response = await pending;
    await assertAborts(context, () => response.body?.cancel());
  });

  test("a call that takes its time is aborted when a legacy client closes the connection", async () => {
    const running = held.started();
    const message = { id: 5, method: "tools/call", params: HOLD };
    const response = await postLegacy(server.mcpUrl, message, { version: VERSION });
    await assertAborts(await running, () => response.body?.cancel());
  });

  test("a slow call of a batch is aborted with the batch", async () => {
    const running = held.started();
    const batch = { name: "batch", arguments: { calls: [HOLD.arguments] } };
    const response = await postModern(server.mcpUrl, "tools/call", batch);
    await assertAborts(await running, () => response.body?.cancel());
  });

  /** Reads until the stream has shown three times that it lives, then lets the call end and reads the rest. */
  async function releaseAfterBeats(response: Response): Promise<readonly WireMessage[]> {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if ((text.match(/^: ?keep-?alive$/gm)?.length ?? 0) >= 3) held.release();
    }
    return messagesOf(new Response(text, { headers: { "content-type": "text/event-stream" } }));
  }
});

async function assertAborts({ signal }: OperationContext, leave: () => unknown): Promise<void> {
  assert.equal(signal.aborted, false);
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  leave();
  await aborted;
  assert.equal((signal.reason as { code: string }).code, "ABORTED");
}

function outputsOf(messages: readonly WireMessage[]): readonly unknown[] {
  const results = messages.filter(({ result }) => result !== undefined);
  return results.map((message) => (resultOf(message).structuredContent as { output: unknown }).output);
}

function progressOf(messages: readonly WireMessage[], token: unknown): readonly unknown[] {
  const updates = messages.filter(({ method }) => method === "notifications/progress");
  assert.ok(updates.every(({ params }) => params?.progressToken === token));
  return updates.map(({ params }) => params?.progress);
}
