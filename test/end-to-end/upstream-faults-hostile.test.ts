import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Era,
  type Exchange,
  importUpstream,
  ScriptedUpstream,
  tool,
  until,
} from "../support/scripted-upstream/index.ts";

const TOOLS_ONLY = { tools: {} };
const fine = tool("fine", (exchange) => exchange.text("fine"));
const zeros = (count: number) => `${"0,".repeat(count - 1)}0`;

/** Answers well, but for the text "HERE", in whose place anything at all may stand. */
function answerWith(exchange: Exchange, result: object, here: string): void {
  const text = JSON.stringify(exchange.success(result)).replace('"HERE"', here);
  exchange.body(text, { "content-type": "application/json" });
}

for (const era of ["modern", "legacy"] satisfies Era[]) {
  describe(`a hostile ${era} upstream`, () => {
    // Of each of these the SDK alone takes minutes and all memory.
    for (const [title, content] of [
      ["a million blocks that are none", zeros(1_000_000)],
      [
        "a block for a million readers",
        `{"type":"text","text":"x","annotations":{"audience":[${zeros(1_000_000)}]}}`,
      ],
    ] as const) {
      test(`a ${era} upstream that answers with ${title} fails that call and delays no other caller for long`, async (t) => {
        const floods = tool("floods", (exchange) => answerWith(exchange, { content: ["HERE"] }, content));
        const { call } = await importUpstream(t, { era, tools: [floods, fine], capabilities: TOOLS_ONLY });
        const { error } = await call("floods");
        assert.equal(error?.code, "RESULT_TOO_LARGE");
        assert.deepEqual((await call("fine")).output, { content: [{ type: "text", text: "fine" }] });
      });
    }

    test(`a ${era} upstream that lists a million invalid tools has its valid ones imported, and the rest summed up`, async (t) => {
      const upstream = new ScriptedUpstream({ era, tools: [], capabilities: TOOLS_ONLY });
      upstream.intercept = (rpc, exchange) => {
        const tools = ["HERE", fine.definition];
        if (rpc.method === "tools/list")
          answerWith(exchange, { tools, ttlMs: 0, cacheScope: "private" }, zeros(1_000_000));
      };
      const { names, source } = await importUpstream(t, await upstream.start());
      assert.deepEqual(names(), ["fine"]);
      const health = source.health();
      const leftOut = health.state === "healthy" ? health.leftOut : [];
      assert.equal(leftOut.length, 100);
      assert.equal(leftOut[99], 'the tool "" has no name, and 999900 more are unusable too');
    });

    test(`a ${era} upstream that announces a change whenever its list is read is asked with pauses`, async (t) => {
      const upstream = new ScriptedUpstream({ era });
      let told = 0;
      upstream.intercept = (rpc) => {
        if (rpc.method !== "tools/list") return;
        setImmediate(() => {
          told++;
          upstream.notify("notifications/tools/list_changed");
        });
      };
      await upstream.start();
      const started = performance.now();
      const { source } = await importUpstream(t, upstream);
      await until(() => upstream.listeners === 1, 5_000);
      upstream.notify("notifications/tools/list_changed");
      await until(() => told >= 5, 20_000);
      // Once at the start, once at once, and then after 250, 500 and 1,000 ms, more or less a fifth.
      assert.ok(performance.now() - started >= 1_400, "it was asked again at once");
      assert.equal(source.health().state, "healthy");
    });

    test(`names of tools and arguments of a ${era} upstream have no effect but to name`, async (t) => {
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
      const inputSchema = {
        type: "object",
        properties: { constructor: { type: "string" }, toString: { type: "number" } },
        required: ["constructor"],
      };
      const echo = (exchange: Exchange, args: object) => exchange.text(JSON.stringify(args));
      const tools = names.map((name) => tool(name, echo, { inputSchema }));
      const { call, names: imported } = await importUpstream(t, { era, tools, capabilities: TOOLS_ONLY });
      assert.deepEqual(imported(), names);
      const input = '{"constructor":"c","toString":1,"__proto__":{"polluted":true}}';
      for (const name of names) {
        const { output } = await call(name, JSON.parse(input));
        assert.deepEqual(output, { content: [{ type: "text", text: input }] });
        assert.equal((await call(name)).error?.code, "INVALID_INPUT");
      }
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    });
  });
}

test("a tool whose arguments cannot be repeated as headers is left out with a warning, and not on the terminal", async (t) => {
  const written = t.mock.method(console, "warn", () => {});
  const inputSchema = { type: "object", properties: { a: { type: "object", "x-mcp-header": "A" } } };
  const bad = tool("bad", () => {}, { inputSchema });
  const unseen = tool("bad\u001b[2J", () => {}, { inputSchema });
  const { names, log } = await importUpstream(t, { tools: [bad, unseen, fine], capabilities: TOOLS_ONLY });
  assert.deepEqual(names(), ["fine"]);
  assert.deepEqual(
    log.entries.map(({ fields }) => fields.reason),
    [
      'the tool "bad" declares x-mcp-header on a property that is not a string, integer or boolean',
      'the name of the tool "bad\\u{001b}[2J" has characters that cannot be seen',
    ],
  );
  assert.equal(written.mock.callCount(), 0);
});
