import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type CallError, Capabilities, createRuntime, type Identity } from "pinhole/core";
import { createOutbound } from "../../src/outbound/index.ts";
import { bringAll, OK } from "../support/scripted-api.ts";
import { importUpstream, tool } from "../support/scripted-upstream/index.ts";

/** A clock that moves only when something waits by it. */
function stillClock() {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    async delay(milliseconds: number) {
      waits.push(Math.round(milliseconds));
      now += milliseconds;
    },
    random: () => 1,
  };
}

/** An MCP server that refuses so many calls; `ran` counts those that reached it. */
async function limitedServer(
  t: TestContext,
  era: "modern" | "legacy",
  { refusals = 1, status = 429, retryAfter = "7" as string | null } = {},
) {
  const clock = stillClock();
  let ran = 0;
  const run: Parameters<typeof tool>[1] = (exchange) =>
    ran++ < refusals
      ? exchange.status(status, retryAfter === null ? {} : { "retry-after": retryAfter })
      : exchange.text("done");
  const tools = [tool("read", run, { annotations: { readOnlyHint: true } }), tool("write", run)];
  const { call } = await importUpstream(t, { era, tools }, { trustAnnotations: true, client: clock });
  return { call, waits: clock.waits, ran: () => ran };
}

for (const era of ["modern", "legacy"] as const) {
  test(`a ${era} MCP server that asks to wait is waited for, once, by reads`, async (t) => {
    const { call, waits, ran } = await limitedServer(t, era);
    assert.notEqual((await call("read")).output, undefined);
    assert.deepEqual([waits, ran()], [[7_000], 2]);

    const stubborn = await limitedServer(t, era, { refusals: 10 });
    const { error } = await stubborn.call("read");
    assert.deepEqual([error?.code, error?.details], ["RATE_LIMITED", { retryAfterMs: 7_000 }]);
    assert.deepEqual([stubborn.waits, stubborn.ran()], [[7_000], 2]);
  });

  test(`no call is sent to a ${era} MCP server before its time: callers wait, or are told at once`, async (t) => {
    const { call, waits, ran } = await limitedServer(t, era);
    const told = await call("write");
    assert.deepEqual([told.error?.code, told.error?.details], ["RATE_LIMITED", { retryAfterMs: 7_000 }]);
    const short = await call("read", {}, { deadlineMs: 3_000 });
    assert.deepEqual([short.error?.code, short.error?.details], ["RATE_LIMITED", { retryAfterMs: 7_000 }]);
    assert.deepEqual([waits, ran()], [[], 1]);
    assert.notEqual((await call("write")).output, undefined, "what was not sent may wait and be sent once");
    assert.deepEqual([waits, ran()], [[7_000], 2]);
  });

  test(`an overloaded ${era} MCP server is asked again for reads alone`, async (t) => {
    for (const status of [502, 503, 504]) {
      const { call, waits, ran } = await limitedServer(t, era, { status, retryAfter: null });
      assert.notEqual((await call("read")).output, undefined, `${status}`);
      assert.deepEqual([waits.length, ran()], [1, 2]);
    }
    const { call, ran } = await limitedServer(t, era, { status: 503, retryAfter: null });
    assert.equal((await call("write")).error?.code, "UNAVAILABLE");
    assert.equal(ran(), 1);
  });
}

/** An API whose callers have keys of their own, sent in the query; it refuses so many requests of each key. */
async function limitedApi(t: TestContext, { status = 429, refusals = 1 } = {}) {
  const clock = stillClock();
  const asked: string[] = [];
  const server = createServer(({ url = "", method }, response) => {
    const key = new URL(url, "http://x").searchParams.get("key") ?? "";
    asked.push(`${method} ${key}`);
    const isRefused = key === "key-of-ann" && asked.filter((each) => each.endsWith(key)).length <= refusals;
    response.writeHead(isRefused ? status : 200, {
      "content-type": "application/json",
      ...(isRefused && { "retry-after": "7" }),
    });
    response.end('"answer"');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound({ allowPrivate: true, ...clock });
  t.after(async () => {
    await outbound.close();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { set } = await bringAll(
    { "/x": { get: { operationId: "read", responses: OK }, post: { operationId: "write", responses: OK } } },
    {
      outbound,
      external: ["*"],
      public: true,
      allowClear: true,
      capabilities: ({ id }: Identity) => new Capabilities({ apiKey: `key-of-${id}` }),
    },
    {
      servers: [{ url }],
      components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "key" } } },
      security: [{ key: [] }],
    },
  );
  const { dispatch } = createRuntime({ sources: [set] });
  const call = (who: string, operation: string, deadlineMs?: number) =>
    dispatch
      .invoke(
        { operation: `api/${operation}` },
        { identity: { id: who, authenticated: true, scopes: [] }, deadlineMs },
      )
      .then(String, ({ code, details }: CallError) => {
        return `${code} ${(details as { retryAfterMs?: number } | undefined)?.retryAfterMs}`;
      });
  return { call, asked, waits: clock.waits };
}

test("an API that asks one caller to wait is left alone by that caller, not by others", async (t) => {
  const { call, asked, waits } = await limitedApi(t);
  assert.equal(await call("ann", "write"), "RATE_LIMITED 7000");
  assert.equal(await call("bob", "write"), "answer");
  assert.equal(await call("ann", "read", 3_000), "RATE_LIMITED 7000", "its deadline ends earlier");
  assert.deepEqual(asked, ["POST key-of-ann", "POST key-of-bob"]);
  assert.equal(await call("ann", "read"), "answer");
  assert.deepEqual(waits, [7_000]);
});

test("a query's caller waits for an API once, whatever it asks for then", async (t) => {
  const { call, asked, waits } = await limitedApi(t, { refusals: 10 });
  assert.equal(await call("ann", "read"), "RATE_LIMITED 7000");
  assert.deepEqual([waits, asked.length], [[7_000], 2]);
});

test("a 503 with a time is one code, from an API and from MCP servers", async (t) => {
  const { call } = await limitedApi(t, { status: 503 });
  assert.equal(await call("ann", "write"), "RATE_LIMITED 7000");
  for (const era of ["modern", "legacy"] as const) {
    const server = await limitedServer(t, era, { status: 503 });
    const { error } = await server.call("write");
    assert.deepEqual([error?.code, error?.details], ["RATE_LIMITED", { retryAfterMs: 7_000 }]);
  }
});
