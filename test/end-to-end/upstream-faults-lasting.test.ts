import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Era,
  importUpstream,
  ScriptedUpstream,
  SOON_MS,
  TOOLS,
  tool,
  until,
} from "../support/scripted-upstream/index.ts";

const ECHO = { word: "hi" };
const extra = tool("extra", (exchange) => exchange.text("extra"));

/** Keeps calls waiting until it is told to let them go. */
function gate() {
  const waiting: (() => void)[] = [];
  const slow = tool("slow", (exchange) => void waiting.push(() => exchange.text("finished")));
  return { slow, waiting, open: () => waiting.splice(0).forEach((answer) => void answer()) };
}

for (const era of ["modern", "legacy"] satisfies Era[]) {
  describe(`the connection to a ${era} upstream`, () => {
    test(`all calls with one credential share one connection to a ${era} upstream`, async (t) => {
      const { upstream, call, outbound } = await importUpstream(t, { era });
      const callers = Array.from({ length: 8 }, (_, index) => ({
        identity: { id: `caller-${index}`, authenticated: true, scopes: [] },
      }));
      for (let round = 0; round < 5; round++) {
        const outcomes = await Promise.all(callers.map((caller) => call("echo", ECHO, caller)));
        for (const { output } of outcomes) assert.deepEqual(output, ECHO);
      }
      assert.equal(upstream.runs("echo"), 40);
      assert.equal(upstream.count("server/discover"), 1);
      assert.equal(upstream.sessionsOpened, era === "legacy" ? 1 : 0);
      assert.ok(
        outbound.stats().sockets < 20,
        "as many as there are calls at a time, not as there are calls",
      );
    });

    test("survives a restart between two calls", async (t) => {
      const { upstream, call, outbound } = await importUpstream(t, { era });
      await call("echo", ECHO);
      await upstream.stop();
      await until(() => outbound.stats().sockets === 0);
      await upstream.start();
      const { output, milliseconds } = await call("echo", ECHO);
      assert.deepEqual(output, ECHO);
      assert.ok(milliseconds < SOON_MS);
      assert.equal(upstream.runs("echo"), 2);
    });

    test(`calls fail at once while a ${era} upstream is down, and succeed as soon as it is back`, async (t) => {
      const { upstream, call, outbound } = await importUpstream(t, { era });
      await upstream.stop();
      await until(() => outbound.stats().sockets === 0);
      const { error, milliseconds } = await call("echo", ECHO);
      assert.deepEqual([error?.code, error?.retryable], ["UNAVAILABLE", true]);
      assert.match(
        error?.message ?? "",
        /^The service behind up\/echo cannot be reached\. .*try again later\.$/,
      );
      assert.ok(milliseconds < SOON_MS);
      assert.equal(upstream.runs("echo"), 0);
      await upstream.start();
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
    });

    test(`a ${era} upstream is healthy again as soon as it answers a call`, async (t) => {
      const { upstream, call, source } = await importUpstream(t, { era, capabilities: { tools: {} } });
      await upstream.stop();
      for (let failure = 0; failure < 5; failure++) await source.refresh();
      assert.equal(source.health().state, "unhealthy");
      await upstream.start();
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
      // Its own turn would come in 12 seconds or more.
      await until(() => source.health().state === "healthy", 5_000);
    });

    test("finds what changed with a restart, without a call and without being told", async (t) => {
      const { upstream, names, source } = await importUpstream(t, { era });
      await until(() => upstream.listeners === 1);
      await upstream.stop();
      upstream.changeTools([...TOOLS, extra], { silently: true });
      await upstream.start();
      await until(() => names().includes("extra"));
      assert.equal(source.health().state, "healthy");
      await until(() => upstream.listeners === 1);
    });

    test(`a changed list of a ${era} upstream arrives within a second of its announcement`, async (t) => {
      const { upstream, names, call } = await importUpstream(t, { era });
      await until(() => upstream.listeners === 1);
      upstream.changeTools([extra]);
      await until(() => names().includes("extra"), SOON_MS);
      assert.ok(!names().includes("echo"), "what is no longer offered is gone");
      assert.equal((await call("echo", ECHO)).error?.code, "NOT_FOUND");
      assert.equal(upstream.runs("echo"), 0);
      assert.deepEqual((await call("extra")).output, { content: [{ type: "text", text: "extra" }] });
    });

    test("reads the list twice for any number of changes at once, and ends with the last", async (t) => {
      const { upstream, names } = await importUpstream(t, { era });
      await until(() => upstream.listeners === 1);
      const before = upstream.count("tools/list");
      for (let index = 0; index < 50; index++) upstream.changeTools([{ ...extra }]);
      upstream.changeTools([tool("last", () => {})]);
      await until(() => names().includes("last"));
      assert.ok(upstream.count("tools/list") - before <= 3);
    });

    test(`a call to a ${era} upstream goes on when another one breaks`, async (t) => {
      const { slow, waiting, open } = gate();
      const { upstream, call } = await importUpstream(t, { era, tools: [...TOOLS, slow] });
      const running = call("slow");
      await until(() => waiting.length === 1);
      await Promise.all(["dies_midway", "dies_before", "no_json", "no_answer"].map((name) => call(name)));
      open();
      assert.deepEqual((await running).output, { content: [{ type: "text", text: "finished" }] });
      assert.equal(upstream.runs("slow"), 1);
    });

    test(`a call to a ${era} upstream does not wait for a stream that stays open after its answer`, async (t) => {
      const { upstream, call, outbound } = await importUpstream(t, { era, capabilities: { tools: {} } });
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => call("lingers")));
      for (const { output } of outcomes)
        assert.deepEqual(output, { content: [{ type: "text", text: "answered" }] });
      await until(() => outbound.stats().sockets <= 4);
      await until(() => upstream.connectionsOpen <= 4);
    });

    test("ends a call that hangs at its timeout, and lets go of it", async (t) => {
      const options = { timeoutMs: 1_500, trustAnnotations: true };
      const { upstream, call } = await importUpstream(t, { era }, options);
      const [mutation, query] = await Promise.all([call("hangs"), call("hangs_read")]);
      assert.deepEqual(mutation.error?.toJSON(), {
        code: "TIMEOUT",
        message:
          "up/hangs did not answer in time. The request may have taken effect: check before you repeat it. Or allow more time.",
        retryable: false,
      });
      assert.deepEqual(query.error?.toJSON(), {
        code: "TIMEOUT",
        message: "up/hangs_read did not answer in time. Try again later, or allow more time.",
        retryable: true,
      });
      assert.deepEqual([upstream.runs("hangs"), upstream.runs("hangs_read")], [1, 1]);
      for (const { milliseconds } of [mutation, query]) assert.ok(milliseconds < options.timeoutMs + SOON_MS);
      await until(() => upstream.abandoned >= 2, SOON_MS);
      if (era === "legacy") await until(() => upstream.count("notifications/cancelled") === 2);
    });

    test(`a ${era} upstream can be called again after more hanging calls than the connection has slots, and is told of their end`, async (t) => {
      const hangs = tool("hangs", (exchange) => {
        exchange.isTaken = true;
      });
      const { upstream, call } = await importUpstream(t, { era, tools: [...TOOLS, hangs] });
      const callers = new AbortController();
      const hanging = Array.from({ length: 300 }, () => call("hangs", {}, { signal: callers.signal }));
      await until(() => upstream.runs("hangs") >= 250, 10_000);
      callers.abort();
      await Promise.all(hanging);
      // Were the ways free only after each cancellation, which needs a way too, this would take its whole timeout.
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
      await until(() => upstream.abandoned >= 250, 10_000);
      if (era === "legacy") await until(() => upstream.count("notifications/cancelled") >= 250, 10_000);
    });

    test("passes the deadline and the departure of the caller on to the server", async (t) => {
      const { upstream, call } = await importUpstream(t, { era });
      const late = await call("hangs", {}, { deadlineMs: 1_000 });
      assert.equal(late.error?.code, "TIMEOUT");
      assert.ok(late.milliseconds < 1_000 + SOON_MS);
      await until(() => upstream.abandoned === 1, SOON_MS);
      const caller = new AbortController();
      const left = call("hangs", {}, { signal: caller.signal });
      await until(() => upstream.runs("hangs") === 2);
      caller.abort();
      assert.equal((await left).error?.code, "ABORTED");
      await until(() => upstream.abandoned === 2, SOON_MS);
    });

    test(`a ${era} upstream that is down at the start is connected when it comes up`, async (t) => {
      const upstream = await new ScriptedUpstream({ era }).start();
      await upstream.stop();
      const { source, names, call, log } = await importUpstream(t, upstream);
      const health = source.health();
      assert.equal(health.state === "unhealthy" && health.code, "TRANSPORT");
      assert.deepEqual(names(), []);
      assert.equal((await call("echo", ECHO)).error?.code, "NOT_FOUND");
      await upstream.start();
      await until(() => source.health().state === "healthy");
      assert.deepEqual((await call("echo", ECHO)).output, ECHO);
      assert.equal(log.entries.length, 1, "it is said once");
      assert.match(String(log.entries[0]?.fields.reason), /\/mcp cannot be reached: .*ECONNREFUSED/);
    });

    test("ends with the source: the session is given back, and running calls finish", async (t) => {
      const { slow, waiting, open } = gate();
      const { upstream, call, source, outbound } = await importUpstream(t, { era, tools: [...TOOLS, slow] });
      const running = call("slow");
      await until(() => waiting.length === 1);
      const closed = source.close();
      const late = await call("echo", ECHO);
      assert.deepEqual(late.error?.toJSON(), {
        code: "UNAVAILABLE",
        message: "The connection to the server behind up/echo was ended. Try again later.",
        retryable: true,
      });
      open();
      assert.deepEqual((await running).output, { content: [{ type: "text", text: "finished" }] });
      await closed;
      assert.equal(upstream.sessionsEnded, era === "legacy" ? 1 : 0);
      await outbound.close();
      await until(() => upstream.connectionsOpen === 0);
    });
  });
}
