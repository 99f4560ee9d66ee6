import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  type Era,
  importUpstream,
  question,
  ScriptedUpstream,
  SOON_MS,
  TOOLS,
  type ToolScript,
  tool,
  until,
} from "../support/scripted-upstream/index.ts";

const ECHO = { word: "hi" };

describe("a session that the upstream has lost", () => {
  for (const lostStatus of [404, 400] as const) {
    test(`a session that the upstream lost is renewed on ${lostStatus}, and the call runs once`, async (t) => {
      const { upstream, call } = await importUpstream(t, { era: "legacy", lostStatus });
      upstream.sessions.clear();
      const { output, milliseconds } = await call("echo", ECHO);
      assert.deepEqual(output, ECHO);
      assert.ok(milliseconds < SOON_MS);
      assert.equal(upstream.runs("echo"), 1);
      assert.equal(upstream.sessionsOpened, 2);
    });

    test(`a session that the upstream lost is renewed once for all calls that meet ${lostStatus} together`, async (t) => {
      const { upstream, call } = await importUpstream(t, { era: "legacy", lostStatus });
      upstream.sessions.clear();
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => call("echo", ECHO)));
      for (const { output } of outcomes) assert.deepEqual(output, ECHO);
      assert.equal(upstream.runs("echo"), 10);
      assert.equal(upstream.sessionsOpened, 2);
    });
  }

  test("after a lost session the list is read again, because the server may have been replaced", async (t) => {
    const { upstream, call, names } = await importUpstream(t, { era: "legacy" });
    upstream.sessions.clear();
    upstream.changeTools([...TOOLS, tool("extra", () => {})], { silently: true });
    await call("echo", ECHO);
    await until(() => names().includes("extra"));
  });

  test("an error about the request that comes with 400 is not taken for a lost session", async (t) => {
    const refuses = tool("refuses", (exchange) => exchange.error(-32602, "no such word", { status: 400 }));
    const { upstream, call } = await importUpstream(t, { era: "legacy", tools: [refuses] });
    const { error } = await call("refuses");
    assert.deepEqual(error?.toJSON(), {
      code: "INVALID_INPUT",
      message: "up/refuses refused the input: no such word",
      retryable: false,
    });
    assert.deepEqual([upstream.runs("refuses"), upstream.sessionsOpened], [1, 1]);
  });

  for (const code of [-32603, -1, 17]) {
    test(`an error of the tool itself (${code}) is not taken for a lost session, and the call runs once`, async (t) => {
      const breaks = tool("breaks", (exchange) => exchange.error(code, "half done", { status: 400 }));
      const { upstream, call } = await importUpstream(t, { era: "legacy", tools: [breaks] });
      const { error } = await call("breaks");
      assert.deepEqual([error?.code, error?.message], ["MCP_TOOL_ERROR", "up/breaks failed: half done"]);
      assert.deepEqual([upstream.runs("breaks"), upstream.sessionsOpened], [1, 1]);
    });
  }

  test("the stream of changes alone notices a session that the upstream lost", async (t) => {
    const { upstream, names } = await importUpstream(t, { era: "legacy" });
    await until(() => upstream.listeners === 1);
    upstream.sessions.clear();
    upstream.changeTools([...TOOLS, tool("extra", () => {})], { silently: true });
    upstream.dropListeners();
    await until(() => names().includes("extra"));
    await until(() => upstream.listeners === 1);
    assert.equal(upstream.sessionsOpened, 2);
  });
});

describe("an upstream that has become another", () => {
  for (const [from, to] of [
    ["modern", "legacy"],
    ["legacy", "modern"],
  ] satisfies [Era, Era][]) {
    test(`${from} before and ${to} now is spoken to as it is now`, async (t) => {
      const { upstream, call, outbound } = await importUpstream(t, {
        era: from,
        capabilities: { tools: {} },
      });
      await upstream.stop();
      await until(() => outbound.stats().sockets === 0);
      upstream.era = to;
      await upstream.start();
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
      assert.equal(upstream.runs("echo"), 1);
    });
  }

  test("a legacy upstream that fails on the question for its revision is imported and called all the same", async (t) => {
    const upstream = new ScriptedUpstream({ era: "legacy" });
    upstream.intercept = ({ method }, exchange) => {
      if (method === "server/discover") exchange.status(500, {}, "unhandled method");
    };
    const { source, call } = await importUpstream(t, await upstream.start());
    assert.equal(source.health().state, "healthy");
    assert.deepEqual((await call("echo", ECHO)).output, ECHO);
  });
});

describe("the stream of changes", () => {
  for (const era of ["modern", "legacy"] satisfies Era[]) {
    test(`the stream of changes of a ${era} upstream is opened again when it ends`, async (t) => {
      const { upstream, names } = await importUpstream(t, { era });
      await until(() => upstream.listeners === 1);
      upstream.dropListeners();
      await until(() => upstream.listeners === 1);
      upstream.changeTools([...TOOLS, tool("extra", () => {})]);
      await until(() => names().includes("extra"));
    });

    test(`the stream of changes of a ${era} upstream that always ends at once is opened again with pauses`, async (t) => {
      const upstream = new ScriptedUpstream({ era });
      upstream.intercept = ({ method, id }, exchange) => {
        if (method !== "subscriptions/listen" && exchange.request.method !== "GET") return;
        const _meta = { "io.modelcontextprotocol/subscriptionId": id };
        const params = { notifications: { toolsListChanged: true }, _meta };
        const events = exchange.events();
        if (id !== undefined) events.send({ method: "notifications/subscriptions/acknowledged", params });
        events.end();
      };
      await importUpstream(t, await upstream.start());
      const opened = () =>
        upstream.seen.filter(({ http, method }) => http === "GET" || method === "subscriptions/listen")
          .length;
      await until(() => opened() > 0);
      await new Promise((resolve) => setTimeout(resolve, 600));
      assert.ok(opened() <= 3, `${opened()} times in 600 ms`);
    });
  }

  test("a server may refuse the stream of changes that it promised, and everything else works", async (t) => {
    const upstream = new ScriptedUpstream();
    upstream.intercept = ({ method }, exchange) => {
      if (method === "subscriptions/listen") exchange.error(-32603, "not today");
    };
    const { source, call } = await importUpstream(t, await upstream.start());
    await until(() => upstream.count("subscriptions/listen") === 1);
    assert.deepEqual((await call("echo", ECHO)).output, ECHO);
    assert.equal(source.health().state, "healthy");
  });

  test("a server that does not announce changes is not asked for a stream of them", async (t) => {
    const { upstream } = await importUpstream(t, { capabilities: { tools: {} } });
    assert.equal(upstream.count("subscriptions/listen"), 0);
  });
});

describe("a mutation that can be repeated without harm", () => {
  const flaky = (hint: object) => {
    let runs = 0;
    const run: ToolScript["run"] = (exchange) => (runs++ === 0 ? exchange.die() : exchange.text("done"));
    return tool("set", run, { annotations: hint });
  };

  for (const [trust, hint, runs] of [
    [true, { idempotentHint: true }, 2],
    [true, { readOnlyHint: false }, 1],
    [false, { idempotentHint: true }, 1],
  ] as const) {
    const word = trust ? "believes" : "does not believe";
    test(`runs ${runs}× with ${JSON.stringify(hint)} where the operator ${word} the server`, async (t) => {
      const { upstream, call, registry } = await importUpstream(
        t,
        { tools: [flaky(hint)] },
        { trustAnnotations: trust },
      );
      const { output, error } = await call("set");
      assert.equal(upstream.runs("set"), runs);
      assert.equal(error?.retryable ?? output !== undefined, runs === 2);
      assert.equal(registry.snapshot().find("up/set")?.registration.spec.type, "mutation");
    });
  }
});

test("a call takes its trace along to the upstream, and nothing else of its caller", async (t) => {
  const upstream = new ScriptedUpstream();
  let meta: Record<string, unknown> = {};
  upstream.intercept = ({ method, params }) => {
    if (method === "tools/call") meta = params?._meta as Record<string, unknown>;
  };
  const { call } = await importUpstream(t, await upstream.start());
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const identity = { id: "somebody", authenticated: true, scopes: [] };
  await call("echo", ECHO, { trace: { traceparent, tracestate: "a=1" }, identity, forwardedFor: "10.1.1.1" });
  assert.deepEqual([meta.traceparent, meta.tracestate], [traceparent, "a=1"]);
  assert.ok(!JSON.stringify([meta, upstream.seen]).match(/somebody|10\.1\.1\.1/));
});

describe("an answer that is interrupted but can be taken up again", () => {
  const breaksOff = tool("breaks_off", (exchange) => {
    exchange.events().raw("id: 1\nretry: 20\ndata: \n\n");
    setImmediate(() => exchange.die());
  });

  test("an interrupted answer is resumed where it broke off, and the call runs once", async (t) => {
    const upstream = new ScriptedUpstream({ era: "legacy", tools: [breaksOff] });
    let id: unknown;
    upstream.intercept = (rpc, exchange) => {
      if (rpc.method === "tools/call") id = rpc.id;
      if (exchange.request.headers["last-event-id"] !== "1") return;
      const events = exchange.events();
      events.send({ id, result: { content: [{ type: "text", text: "whole" }] } });
      events.end();
    };
    const { call } = await importUpstream(t, await upstream.start());
    assert.deepEqual((await call("breaks_off")).output, { content: [{ type: "text", text: "whole" }] });
    assert.equal(upstream.runs("breaks_off"), 1);
  });

  test("an interrupted answer fails as soon as resuming it turns out to be impossible", async (t) => {
    const upstream = new ScriptedUpstream({ era: "legacy", tools: [breaksOff] });
    upstream.intercept = (_, exchange) => {
      if (exchange.request.headers["last-event-id"] === "1") exchange.status(404);
    };
    const { call } = await importUpstream(t, await upstream.start());
    const { error, milliseconds } = await call("breaks_off");
    assert.deepEqual([error?.code, error?.retryable], ["UNAVAILABLE", false]);
    assert.ok(milliseconds < SOON_MS);
    assert.equal(upstream.runs("breaks_off"), 1);
  });
});

describe("a legacy upstream that asks in the middle of a call", () => {
  /** A server whose tool makes something of the refusal, be it an error or not. */
  async function asking(t: TestContext, isError: boolean) {
    let finish: (text: string) => void = () => {};
    const asks = tool("asks", (exchange) => {
      const events = exchange.events();
      events.send({ id: "question-1", ...question("name") });
      finish = (text) => {
        events.send(exchange.success({ isError, content: [{ type: "text", text }] }));
        events.end();
      };
    });
    const upstream = new ScriptedUpstream({ era: "legacy", tools: [asks] });
    upstream.intercept = (rpc, exchange) => {
      if (rpc.id !== "question-1") return;
      const { error } = rpc as { readonly error?: { readonly message: string } };
      exchange.status(202);
      finish(`It is said: ${error?.message}`);
    };
    const { call } = await importUpstream(t, await upstream.start());
    return call("asks");
  }

  test("a legacy upstream that asks during a call learns that its caller cannot be asked; if it fails, the caller learns what to do", async (t) => {
    const { error, milliseconds } = await asking(t, true);
    assert.equal(error?.code, "INVALID_OPERATION_TYPE");
    assert.match(error?.message ?? "", /^up\/asks asks for input/);
    assert.ok(milliseconds < SOON_MS);
  });

  test("a legacy upstream that asks during a call may go on without an answer, and its result counts", async (t) => {
    const { output, error } = await asking(t, false);
    assert.equal(error, undefined);
    assert.match(JSON.stringify(output), /It is said: up\/asks asks for input/);
  });
});
