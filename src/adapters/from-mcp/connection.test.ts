import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { deferred } from "../../../test/support/deferred.ts";
import {
  type Answer,
  eventStream,
  json,
  scriptedFetch,
} from "../../../test/support/scripted-upstream/index.ts";
import { OutboundError } from "../../outbound/index.ts";
import { ConnectionFailure, Connections, McpConnection } from "./connection.ts";
import type { UpstreamFailure } from "./failure.ts";

const ONCE = { isRepeatable: false };
const AGAIN = { isRepeatable: true };
const call = (client: Client) => client.callTool({ name: "x", arguments: {} });
const status = (code: number) => new Response(null, { status: code });
const broken = () => {
  throw new OutboundError("broken", "It broke.", { mayHaveRun: true });
};
const refused = () => {
  throw new OutboundError("refused", "Nobody is there.");
};

/** A connection whose calls are answered as given, one after the other; then they go well. */
function connection(
  t: TestContext,
  era: "modern" | "legacy",
  answers: readonly (() => Response | Promise<Response>)[] = [],
  onOther: Answer = () => undefined,
) {
  let next = 0;
  let losses = 0;
  const server = scriptedFetch(era, (fetched) =>
    fetched.rpc.method === "tools/call" ? answers[next++]?.() : onOther(fetched),
  );
  const made = new McpConnection({
    url: new URL("https://example.com/mcp"),
    token: undefined,
    outbound: server.outbound,
    version: "0",
    watch: { changed: () => {}, lost: () => losses++ },
  });
  t.after(() => made.close());
  return { ...server, made, losses: () => losses, calls: () => server.count("tools/call") };
}

async function failureOf(work: Promise<unknown>): Promise<UpstreamFailure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ConnectionFailure) return error.failure;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("a connection", () => {
  test("a connection opens on first use, once for all simultaneous users", async (t) => {
    const { made, sessions, calls, seen } = connection(t, "legacy");
    assert.equal(seen.length, 0);
    await Promise.all(Array.from({ length: 5 }, () => made.use(call, ONCE)));
    assert.deepEqual([sessions(), calls()], [1, 5]);
  });

  test("a connection renews a lost session and repeats once what surely never ran", async (t) => {
    const healed = connection(t, "legacy", [() => status(404)]);
    await healed.made.use(call, ONCE);
    assert.deepEqual([healed.sessions(), healed.calls(), healed.losses()], [2, 2, 1]);

    const lost = connection(t, "legacy", [() => status(404), () => status(400)]);
    const failure = await failureOf(lost.made.use(call, ONCE));
    assert.deepEqual([failure.kind, lost.calls()], ["session-lost", 2]);
    await lost.made.use(call, ONCE);
    assert.equal(lost.sessions(), 3, "and the next one begins anew");
  });

  test("a connection does not take 400 for a lost session if the server keeps none: the call may have run", async (t) => {
    for (const code of [400, 404]) {
      const sessionless: Answer = ({ rpc }) => {
        const result = {
          protocolVersion: "2025-11-25",
          capabilities: {},
          serverInfo: { name: "s", version: "1" },
        };
        return rpc.method === "initialize" ? json(rpc, result) : undefined;
      };
      const { made, calls } = connection(t, "legacy", [() => status(code)], sessionless);
      const failure = await failureOf(made.use(call, ONCE));
      assert.deepEqual([failure.kind, failure.neverRan, calls()], ["invalid-answer", false, 1]);
      await made.use(call, ONCE);
    }
  });

  test("a connection repeats what may have run only if that does no harm, and once", async (t) => {
    for (const answer of [broken, () => eventStream("")]) {
      const mutation = connection(t, "legacy", [answer]);
      assert.equal((await failureOf(mutation.made.use(call, ONCE))).kind, "broken");
      assert.equal(mutation.calls(), 1);
      const query = connection(t, "legacy", [answer]);
      await query.made.use(call, AGAIN);
      assert.equal(query.calls(), 2);
      const twice = connection(t, "legacy", [answer, answer]);
      assert.equal((await failureOf(twice.made.use(call, AGAIN))).kind, "broken");
      assert.equal(twice.calls(), 2);
      assert.equal(twice.sessions(), 1, "the session is as good as before");
    }
  });

  test("a connection repeats a call whose stream broke by a restart of the server, if that does no harm", async (t) => {
    const { made, calls, sessions } = connection(t, "legacy", [() => eventStream(""), () => status(404)]);
    await made.use(call, AGAIN);
    assert.deepEqual([calls(), sessions()], [3, 2]);
  });

  test("a connection does not repeat a refused call, a refused credential or a failing server", async (t) => {
    for (const answer of [
      refused,
      () => status(401),
      () => status(500),
      () => status(418),
      () => status(429),
    ]) {
      const { made, calls } = connection(t, "modern", [answer]);
      await failureOf(made.use(call, AGAIN));
      assert.equal(calls(), 1);
    }
  });

  test("a connection that cannot be opened fails as never having run, and is tried again each time", async (t) => {
    let isDown = true;
    const { made, calls } = connection(t, "modern", [], () => (isDown ? broken() : undefined));
    const failure = await failureOf(made.use(call, ONCE));
    assert.deepEqual([failure.kind, failure.neverRan, calls()], ["broken", true, 0]);
    isDown = false;
    await made.use(call, ONCE);
    assert.equal(calls(), 1);
  });

  test("a closed connection lets running work end, ends its session and takes no more work", async (t) => {
    const answer = deferred<Response>();
    const { made, count, seen } = connection(t, "legacy", [() => answer.promise]);
    const running = made.use(call, ONCE);
    while (count("tools/call") === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = made.close();
    const late = await failureOf(made.use(call, ONCE));
    assert.deepEqual([late.kind, late.neverRan], ["broken", true]);
    assert.equal(count("DELETE"), 0);
    const { id } = seen.find(({ rpc: { method } }) => method === "tools/call")?.rpc ?? {};
    answer.resolve(Response.json({ jsonrpc: "2.0", id, result: { content: [] } }));
    assert.deepEqual((await running).content, []);
    await closed;
    assert.equal(count("DELETE"), 1);
  });

  test("a connection that is closed while it opens is not waited for, and ends the session that it gets", async (t) => {
    const gate = deferred<undefined>();
    const slow: Answer = ({ rpc }) =>
      rpc.method === "initialize" ? (gate.promise as Promise<never>) : undefined;
    const { made, count, calls } = connection(t, "legacy", [], slow);
    const waiting = failureOf(made.use(call, ONCE));
    while (count("initialize") === 0) await new Promise((resolve) => setImmediate(resolve));
    await made.close();
    gate.resolve(undefined);
    const failure = await waiting;
    assert.deepEqual([failure.kind, failure.neverRan, calls()], ["broken", true, 0]);
    while (count("DELETE") === 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

const watch = { changed: () => {}, lost: () => {} };

function connections() {
  const { outbound, count } = scriptedFetch("legacy");
  return {
    made: new Connections({ url: new URL("https://example.com/mcp"), outbound, version: "0" }),
    count,
  };
}

test("each credential has one connection, and the watching connection is one of them", async () => {
  const { made } = connections();
  const watching = made.watching("a", watch);
  assert.equal(made.of("a"), watching);
  assert.equal(made.of("b"), made.of("b"));
  assert.notEqual(made.of("b"), watching);
  assert.notEqual(made.of(undefined), watching);
  await made.close();
});

test("an unused credential is forgotten and its session ended", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  t.mock.method(performance, "now", () => Date.now());
  const { made, count } = connections();
  const watching = made.watching("a", watch);
  const idle = made.of("b");
  await idle.use(async () => {}, { isRepeatable: true });
  t.mock.timers.tick(600_001);
  const used = made.of("c");
  assert.notEqual(made.of("b"), idle);
  assert.equal(made.of("a"), watching);
  assert.equal(made.of("c"), used);
  while (count("DELETE") === 0) await new Promise((resolve) => setImmediate(resolve));
  await made.close();
});
