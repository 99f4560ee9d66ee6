import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  type Era,
  ScriptedUpstream,
  sourceOf,
  startConfigured,
  TOOLS,
  tool,
  type UpstreamOptions,
  until,
} from "../support/scripted-upstream/index.ts";

const ECHO = { word: "hi" };

async function startUpstream(t: TestContext, options: UpstreamOptions = {}): Promise<ScriptedUpstream> {
  const upstream = await new ScriptedUpstream(options).start();
  t.after(() => upstream.stop());
  return upstream;
}

/** How often somebody has shaken hands with an upstream. */
const handshakes = (upstream: ScriptedUpstream) => upstream.count("server/discover");

for (const era of ["modern", "legacy"] satisfies Era[]) {
  describe(`a reload in front of a ${era} upstream`, () => {
    test(`a reload in front of a ${era} upstream keeps the connection where the config says the same about it`, async (t) => {
      const upstream = await startUpstream(t, { era });
      const config = { sources: { up: sourceOf(upstream) } };
      const { call, configure, gateway } = await startConfigured(t, config);
      await call("up/echo", ECHO);
      const before = gateway.registry.snapshot().find("up/echo");
      await configure({ ...config, limits: { deadlineMs: 5_000 }, deny: ["up/fails"] });
      assert.deepEqual((await call("up/echo", ECHO)).output, ECHO);
      assert.equal((await call("up/fails")).error?.code, "NOT_FOUND", "the rest of the config is in force");
      assert.equal(handshakes(upstream), 1);
      assert.equal(upstream.count("tools/list"), 1);
      assert.equal(upstream.sessionsOpened, era === "legacy" ? 1 : 0);
      assert.equal(gateway.registry.snapshot().find("up/echo"), before);
    });

    test(`a reload in front of a ${era} upstream replaces a source whose config has changed, and the old operations go at once`, async (t) => {
      const old = await startUpstream(t, { era, tools: [...TOOLS, tool("only_old", () => {})] });
      const next = await startUpstream(t, { era });
      const { call, configure } = await startConfigured(t, { sources: { up: sourceOf(old) } });
      assert.deepEqual((await call("up/echo", ECHO)).output, ECHO);
      await configure({ sources: { up: sourceOf(next) } });
      assert.deepEqual((await call("up/echo", ECHO)).output, ECHO);
      assert.deepEqual([old.runs("echo"), next.runs("echo")], [1, 1]);
      assert.equal((await call("up/only_old")).error?.code, "NOT_FOUND");
      await until(() => old.listeners === 0);
      assert.equal(old.sessionsEnded, era === "legacy" ? 1 : 0);
      old.changeTools([...TOOLS, tool("late", () => {})]);
      await old.restart();
      assert.equal((await call("up/late")).error?.code, "NOT_FOUND", "what is replaced does not come back");
    });

    test(`a reload in front of a ${era} upstream takes the old operations away even where the new server is not there`, async (t) => {
      const old = await startUpstream(t, { era });
      const next = await startUpstream(t, { era });
      await next.stop();
      const { call, configure } = await startConfigured(t, { sources: { up: sourceOf(old) } });
      await configure({ sources: { up: sourceOf(next) } });
      assert.equal((await call("up/echo", ECHO)).error?.code, "NOT_FOUND");
      assert.equal(old.runs("echo"), 0);
    });

    test(`a reload in front of a ${era} upstream takes a source away that the config no longer names`, async (t) => {
      const upstream = await startUpstream(t, { era });
      const { call, configure, gateway } = await startConfigured(t, { sources: { up: sourceOf(upstream) } });
      await configure({ sources: {} });
      assert.equal((await call("up/echo", ECHO)).error?.code, "NOT_FOUND");
      assert.equal(gateway.registry.snapshot().sources.has("up"), false);
      await until(() => upstream.listeners === 0);
    });

    test(`a reload in front of a ${era} upstream lets calls that run finish on the connection that they began on`, async (t) => {
      let finish: () => void = () => {};
      const slow = tool("slow", (exchange) => {
        finish = () => exchange.text("finished");
      });
      const old = await startUpstream(t, { era, tools: [slow] });
      const next = await startUpstream(t, { era });
      const { call, configure } = await startConfigured(t, { sources: { up: sourceOf(old) } });
      const running = call("up/slow");
      await until(() => old.runs("slow") === 1);
      await configure({ sources: { up: sourceOf(next) } });
      finish();
      assert.deepEqual((await running).content, [{ type: "text", text: "finished" }]);
      await until(() => old.listeners === 0);
    });
  });
}

describe("a reload that changes how an upstream is used", () => {
  test("a reload that changes how an upstream is used takes a new credential up with the next call", async (t) => {
    const upstream = await startUpstream(t);
    const config = { sources: { up: sourceOf(upstream, { token: { env: "PINHOLE_TEST_UP" } }) } };
    process.env.PINHOLE_TEST_UP = "first-secret";
    t.after(() => {
      delete process.env.PINHOLE_TEST_UP;
    });
    const { call, configure, logged } = await startConfigured(t, config);
    await call("up/echo", ECHO);
    await configure(config);
    assert.equal(handshakes(upstream), 1, "the same secret is no change");
    process.env.PINHOLE_TEST_UP = "second-secret";
    await configure(config);
    await call("up/echo", ECHO);
    const sent = upstream.seen.filter(({ method }) => method === "tools/call").map(({ headers }) => headers);
    assert.deepEqual(
      sent.map(({ authorization }) => authorization),
      ["Bearer first-secret", "Bearer second-secret"],
    );
    assert.ok(!logged().includes("-secret"));
  });

  test("a reload that changes how an upstream is used closes and opens single tools", async (t) => {
    const upstream = await startUpstream(t);
    const { call, configure } = await startConfigured(t, {
      sources: { up: sourceOf(upstream, { external: ["echo"] }) },
    });
    assert.equal((await call("up/text")).error?.code, "NOT_FOUND");
    await configure({ sources: { up: sourceOf(upstream, { external: ["text"] }) } });
    assert.equal((await call("up/echo", ECHO)).error?.code, "NOT_FOUND");
    assert.deepEqual((await call("up/text")).content, [{ type: "text", text: '{"looks":"like JSON"}' }]);
  });

  test("the end of a gateway ends every connection to its upstreams", async (t) => {
    const [one, other] = [await startUpstream(t), await startUpstream(t, { era: "legacy" })];
    const sources = { one: sourceOf(one), other: sourceOf(other) };
    const { call, gateway } = await startConfigured(t, { sources });
    await Promise.all([call("one/echo", ECHO), call("other/echo", ECHO)]);
    await gateway.close();
    await until(() => one.connectionsOpen === 0 && other.connectionsOpen === 0);
    assert.equal(other.sessionsEnded, 1);
  });
});
