import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, type TestContext, test } from "node:test";
import { type SessionChannel, Sessions } from "../../src/projections/to-mcp/index.ts";
import { answerOf, messagesOf } from "../support/mcp-wire.ts";
import { OLDER_CLIENTS } from "../support/older-clients.ts";
import { serveRuntime } from "../support/serve.ts";
import { begin, callOf, cancelOf, eventsOf, get, outputIn } from "../support/session-wire.ts";
import { createSessionWork } from "../support/session-work.ts";

type Tell = Parameters<SessionChannel["subscribe"]>[0];

/** Two channels that reach each other, as a store that both replicas share would carry them. */
function connected(): readonly [SessionChannel, SessionChannel] {
  const tell: [Tell?, Tell?] = [];
  const channel = (own: 0 | 1): SessionChannel => ({
    publish: (news) => tell[1 - own]?.(JSON.parse(JSON.stringify(news))),
    subscribe: (told) => {
      tell[own] = told;
    },
  });
  return [channel(0), channel(1)];
}

async function replicas(t: TestContext, channels: readonly (SessionChannel | undefined)[] = connected()) {
  const work = createSessionWork();
  const stateKey = randomBytes(32);
  const [one, other] = await Promise.all(
    channels.map(async (channel) => {
      const sessions = new Sessions(channel);
      const server = await serveRuntime({ sources: [work.plugin], stateKey, sessions });
      t.after(() => server.close(0));
      return server.mcpUrl;
    }),
  );
  return { work, one: one ?? assert.fail(), other: other ?? assert.fail() };
}

describe("two replicas that share a key", () => {
  test("two replicas that share a key and a channel stop a call whichever of them is told", async (t) => {
    const { work, one, other } = await replicas(t);
    const wire = await begin(one);
    const call = wire.post(callOf(1, "work/wait", { name: "stopped" }));
    const kept = wire.post(callOf(2, "work/wait", { name: "kept" }));
    await Promise.all(["stopped", "kept"].map(work.running));
    assert.equal((await wire.at(other).post(cancelOf(1))).status, 202);
    await work.aborted("stopped");
    work.release();
    assert.deepEqual(await messagesOf(await call), []);
    assert.equal(outputIn(await answerOf(await kept)), "kept");
  });

  test("two replicas that share a key and a channel take the answer to a question wherever it comes", async (t) => {
    const { one, other } = await replicas(t);
    const wire = await begin(one, { capabilities: { elicitation: {} } });
    const events = eventsOf(await wire.post(callOf(1, "work/ask", { topic: "seat" })));
    const { id } = (await events.next()) ?? assert.fail("no question came");
    await wire
      .at(other)
      .post({ jsonrpc: "2.0", id, result: { action: "accept", content: { value: "12A" } } });
    assert.equal(outputIn((await events.next()) ?? assert.fail("no answer came")), "12A");
  });

  test("two replicas that share a key and a channel both know of a session that has ended", async (t) => {
    const { one, other } = await replicas(t);
    const wire = await begin(one);
    const stream = await get(other, wire.headers);
    await fetch(one, { method: "DELETE", headers: wire.headers });
    assert.doesNotMatch(await stream.text(), /data/);
    assert.equal((await wire.at(other).post({ id: 1, method: "tools/list" })).status, 404);
  });

  for (const [name, connect] of Object.entries(OLDER_CLIENTS)) {
    test(`two replicas that share a key serve a client of ${name} whose requests alternate between them`, async (t) => {
      const { one, other } = await replicas(t, [undefined, undefined]);
      let requests = 0;
      const route = () => (requests++ % 2 === 0 ? one : other);
      const client = await connect(one, { route });
      t.after(() => client.close());
      const answers = await Promise.all(Array.from({ length: 10 }, () => client.call("work/plain")));
      assert.ok(answers.every(({ structuredContent }) => structuredContent?.output === "plain"));
      assert.ok(requests > 10);
    });
  }
});
