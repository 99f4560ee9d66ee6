import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { deferred } from "../../../test/support/deferred.ts";
import {
  type Answer,
  eventStream,
  json,
  scriptedFetch,
} from "../../../test/support/scripted-upstream/index.ts";
import { type OnSet, RegistrationError, SILENT_LOG, type SourceSet } from "../../core/index.ts";
import { OutboundError } from "../../outbound/index.ts";
import { createMcpSource, speaksOldTransport } from "./start.ts";

const tool = { name: "x", inputSchema: { type: "object" } };
const list = { resultType: "complete", tools: [tool], ttlMs: 0, cacheScope: "private" };

function source(t: TestContext, onList: Answer, onSet: OnSet = () => {}) {
  const warnings: string[] = [];
  const server = scriptedFetch("modern", (fetched) =>
    fetched.rpc.method === "tools/list" ? onList(fetched) : undefined,
  );
  const made = createMcpSource(
    {
      name: "up",
      url: new URL("https://example.com/mcp?key=hidden"),
      external: ["*"],
      scopes: [],
      public: false,
      trustAnnotations: false,
      timeoutMs: 30_000,
      refreshMs: 300_000,
      outbound: server.outbound,
      version: "0",
      log: { ...SILENT_LOG, warn: (_, fields) => void warnings.push(String(fields?.reason)) },
    },
    onSet,
  );
  t.after(() => made.close());
  return { made, warnings, lists: () => server.count("tools/list") };
}

/** Lets everything that is ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a source", () => {
  test("a source reads the list one at a time, and once more for all requests meanwhile", async (t) => {
    const gate = deferred<void>();
    let begun = 0;
    const { made, lists } = source(t, async ({ rpc }) => {
      begun++;
      await gate.promise;
      return json(rpc, list);
    });
    while (begun === 0) await settle();
    const asked = [made.refresh(), made.refresh(), made.refresh()];
    gate.resolve();
    await Promise.all(asked);
    assert.equal(lists(), 2);
    assert.deepEqual(made.health(), { state: "healthy", operations: 1, leftOut: [], warnings: [] });
  });

  test("a failing source is tried less and less often, at least each minute, and logs it once", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    t.mock.method(Math, "random", () => 0.5);
    let isDown = true;
    const { made, warnings, lists } = source(t, ({ rpc }) => {
      if (isDown) throw new OutboundError("refused", "Nobody is there.");
      return json(rpc, list);
    });
    await made.firstAttempt;
    for (const [attempt, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      t.mock.timers.tick(seconds * 1_000 - 1);
      await settle();
      assert.equal(lists(), attempt + 1, `not before ${seconds} s`);
      t.mock.timers.tick(1);
      await settle();
      assert.equal(lists(), attempt + 2, `after ${seconds} s`);
    }
    const reason =
      "https://example.com/mcp cannot be reached: Nobody is there. Check that the service runs at this address, or try again later.";
    assert.deepEqual(made.health(), { state: "unhealthy", code: "TRANSPORT", reason });
    assert.deepEqual(warnings, [reason]);
    isDown = false;
    t.mock.timers.tick(60_000);
    await settle();
    assert.equal(made.health().state, "healthy");
    const before = lists();
    t.mock.timers.tick(299_999);
    await settle();
    assert.equal(lists(), before);
    t.mock.timers.tick(1);
    await settle();
    assert.equal(lists(), before + 1, "a healthy one is read again from time to time");
  });

  test("a source passes a list on only if it differs from the one before", async (t) => {
    const sets: SourceSet[] = [];
    let offered: object = list;
    const { made } = source(
      t,
      ({ rpc }) => json(rpc, offered),
      (set) => void sets.push(set),
    );
    await made.firstAttempt;
    await made.refresh();
    assert.equal(sets.length, 1);
    offered = { ...list, tools: [{ ...tool, description: "Something else." }] };
    await made.refresh();
    assert.equal(sets.length, 2);
    const named = (name: string) => ({ ...list, tools: [{ ...tool, name, description: "Same." }] });
    for (const [index, name] of ["a b", "a_b"].entries()) {
      offered = named(name);
      await made.refresh();
      assert.equal(
        sets.length,
        3 + index,
        "a tool of another name is another, be its operation named the same",
      );
    }
  });

  test("a source whose operations are refused is unhealthy with the reason", async (t) => {
    const { made } = source(
      t,
      ({ rpc }) => json(rpc, list),
      () => {
        throw new RegistrationError('"up/x" is offered by two sources.', "NAME_COLLISION");
      },
    );
    await made.firstAttempt;
    const reason = '"up/x" is offered by two sources.';
    assert.deepEqual(made.health(), { state: "unhealthy", code: "NAME_COLLISION", reason });
  });

  test("a closed source brings no more lists, not even one in transit", async (t) => {
    const gate = deferred<void>();
    const sets: SourceSet[] = [];
    let begun = 0;
    const { made, lists } = source(
      t,
      async ({ rpc }) => {
        begun++;
        await gate.promise;
        return json(rpc, list);
      },
      (set) => void sets.push(set),
    );
    while (begun === 0) await settle();
    const closed = made.close();
    gate.resolve();
    await Promise.all([closed, made.firstAttempt]);
    await made.refresh();
    assert.deepEqual([sets, lists()], [[], 1]);
  });
});

const URL_OF_SERVER = new URL("https://example.com/sse");
const OPENING = "event: endpoint\ndata: /messages?session=1\n\n";

test("a server with the old transport is recognised by its first event, with the credential", async () => {
  const looked = async (answer: Answer, credential: object = {}) => {
    const { outbound, seen } = scriptedFetch("legacy", answer);
    const found = await speaksOldTransport({ url: URL_OF_SERVER, outbound, ...credential });
    return { found, seen };
  };
  const opens: Answer = ({ headers }) =>
    headers.get("authorization") === "Bearer secret" || headers.get("x-key") === "secret"
      ? eventStream(OPENING)
      : new Response(null, { status: 401 });
  assert.equal((await looked(opens, { token: "secret" })).found, true);
  assert.equal((await looked(opens, { token: "secret", tokenHeader: "X-Key" })).found, true);
  assert.equal((await looked(opens)).found, false);
  assert.equal((await looked(() => eventStream("data: {}\n\n"))).found, false);
  assert.equal((await looked(() => new Response(OPENING))).found, false);
  assert.equal((await looked(() => Promise.reject(new Error("away")))).found, false);
  const { seen } = await looked(() => eventStream(OPENING));
  assert.deepEqual([seen[0]?.http, seen[0]?.headers.get("accept")], ["GET", "text/event-stream"]);
});

test("a source with the old transport says so, and what to do", async (t) => {
  const { outbound } = scriptedFetch("legacy", ({ http }) =>
    http === "GET" ? eventStream(OPENING) : new Response(null, { status: 405 }),
  );
  const made = createMcpSource(
    {
      name: "old",
      url: URL_OF_SERVER,
      external: ["*"],
      scopes: [],
      public: false,
      trustAnnotations: false,
      timeoutMs: 30_000,
      refreshMs: 300_000,
      outbound,
      version: "0",
      log: SILENT_LOG,
    },
    () => {},
  );
  t.after(() => made.close());
  await made.firstAttempt;
  assert.deepEqual(made.health(), {
    state: "unhealthy",
    code: "DISCOVERY_FAILED",
    reason:
      "https://example.com/sse speaks the old SSE transport of MCP. See whether it has an address for streamable HTTP, often /mcp; if not, put a bridge before it.",
  });
});
