import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { Client, ProtocolError } from "@modelcontextprotocol/client";
import { deferred } from "../../../test/support/deferred.ts";
import {
  type Answer,
  eventStream,
  json,
  scriptedFetch,
} from "../../../test/support/scripted-upstream/index.ts";
import { OutboundError } from "../../outbound/index.ts";
import type { Asker } from "./questions.ts";
import { FailFastTransport, PendingRequest, PendingRequests, UNANSWERED } from "./transport.ts";

const CALL = { name: "x", arguments: {} };

/** A client whose calls are answered as given; everything else goes well. */
async function connected(t: TestContext, era: "modern" | "legacy", onCall: Answer) {
  const server = scriptedFetch(era, (fetched) =>
    fetched.rpc.method === "tools/call" ? onCall(fetched) : undefined,
  );
  const transport = new FailFastTransport({
    url: new URL("https://example.com/mcp"),
    token: "secret",
    outbound: server.outbound,
    onStreamLost: () => {},
  });
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "auto" } });
  client.onerror = () => {};
  await client.connect(transport);
  t.after(() => client.close());
  return { client, ...server };
}

const isUnanswered = (error: unknown) => error instanceof ProtocolError && error.code === UNANSWERED;
const done = { resultType: "complete", content: [] };
const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
/** The SDK wraps what a transport threw, or carries it as data. */
function causesOf(error: unknown): readonly unknown[] {
  if (!(error instanceof Error)) return [];
  return [error, ...(error instanceof ProtocolError ? [error.data] : []), ...causesOf(error.cause)];
}

const json404 = () => new Response(null, { status: 404 });

for (const era of ["modern", "legacy"] as const) {
  describe(`the transport to a ${era} server`, () => {
    test(`a request to a ${era} server fails if its answer ends before it is complete`, async (t) => {
      for (const answer of [
        () => eventStream(""),
        () =>
          eventStream(event({ method: "notifications/progress", params: { progress: 1, progressToken: 9 } })),
        () => eventStream("data: {no json\n\n"),
        () => eventStream(ReadableStream.from([new TextEncoder().encode("data: {"), "broken" as never])),
        () => eventStream(event({ id: 999, result: done })),
        () => new Response(null, { status: 202 }),
        () => json({ id: 999 }, done),
      ]) {
        const { client } = await connected(t, era, answer);
        await assert.rejects(client.callTool(CALL), isUnanswered);
      }
    });

    test(`a request that a ${era} server refused is not taken for an unanswered one`, async (t) => {
      const { client } = await connected(t, era, json404);
      await assert.rejects(client.callTool(CALL), { status: 404 });
    });

    test("delivers answers in any order, as JSON and as events, and what comes with them", async (t) => {
      const first = deferred<Response>();
      let calls = 0;
      const { client, seen } = await connected(t, era, ({ rpc }) => {
        if (calls++ === 0) return first.promise;
        return eventStream(event({ id: rpc.id, result: { ...done, structuredContent: { second: true } } }));
      });
      const slow = client.callTool(CALL);
      const { structuredContent } = await client.callTool(CALL);
      assert.deepEqual(structuredContent, { second: true });
      const { rpc } = seen.find(({ rpc: { method } }) => method === "tools/call") ?? { rpc: {} };
      first.resolve(json(rpc, { ...done, structuredContent: { first: true } }));
      assert.deepEqual((await slow).structuredContent, { first: true });
      assert.ok(seen.every(({ headers }) => headers.get("authorization") === "Bearer secret"));
    });

    test(`messages of a ${era} server with more values than can be checked are refused, answers or not`, async (t) => {
      const many = Array(60_000).fill(0);
      const told = { method: "notifications/message", params: { level: "info", data: "x" } };
      const { client } = await connected(t, era, ({ rpc }) =>
        eventStream(
          event({ ...told, params: { ...told.params, many } }) +
            event(told) +
            event({ id: rpc.id, result: { ...done, content: many } }),
        ),
      );
      let heard = 0;
      client.setNotificationHandler("notifications/message", () => void heard++);
      const isTooLarge = (error: unknown) =>
        isUnanswered(error) && (error as { data?: { kind?: unknown } }).data?.kind === "too-large";
      await assert.rejects(client.callTool(CALL), isTooLarge);
      assert.equal(heard, 1);
    });

    test(`an answer of a ${era} server whose shape takes too long is not parsed, as JSON or as events, whatever its line ends`, async (t) => {
      const varied = Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`key ${n}`, n]));
      const result = { ...done, structuredContent: varied };
      const isTooComplex = (error: unknown) =>
        causesOf(error).some((cause) => cause instanceof OutboundError && cause.kind === "too-complex");
      for (const answer of [
        ({ rpc }) => json(rpc, result),
        ({ rpc }) => eventStream(event({ id: rpc.id, result })),
        ({ rpc }) => eventStream(`: "\r${event({ id: rpc.id, result }).replaceAll("\n", "\r")}`),
        ({ rpc }) => eventStream(`id: "\n${event({ id: rpc.id, result }).replaceAll("\n", "\r\n")}`),
      ] satisfies Answer[]) {
        const { client } = await connected(t, era, answer);
        await assert.rejects(client.callTool(CALL), isTooComplex);
      }
    });

    test("drops a stream that stays open after its answer, and no other", async (t) => {
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const open = new TransformStream<Uint8Array, Uint8Array>();
      const { client, seen } = await connected(t, era, ({ rpc }) => {
        void open.writable.getWriter().write(new TextEncoder().encode(event({ id: rpc.id, result: done })));
        return eventStream(open.readable);
      });
      await client.callTool(CALL);
      const signal = seen.find(({ rpc: { method } }) => method === "tools/call")?.signal;
      t.mock.timers.tick(999);
      assert.equal(signal?.aborted, false);
      t.mock.timers.tick(1);
      assert.equal(signal?.aborted, true);
    });

    test("ends the request when the caller leaves, as its revision says", async (t) => {
      const { client, seen, count } = await connected(t, era, () => deferred<Response>().promise);
      const caller = new AbortController();
      const call = client.callTool(CALL, { signal: caller.signal });
      const sent = () => seen.find(({ rpc: { method } }) => method === "tools/call");
      while (!sent()) await new Promise((resolve) => setImmediate(resolve));
      caller.abort(new Error("gone"));
      await assert.rejects(call, /gone/);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(sent()?.signal?.aborted, true);
      assert.equal(count("notifications/cancelled"), era === "legacy" ? 1 : 0);
    });
  });
}

const asker = (): Asker => async () => ({ action: "cancel" });

function callOf(id: number, whose: Asker | undefined): PendingRequest {
  return new PendingRequest(
    { jsonrpc: "2.0", id, method: "tools/call" },
    { signal: undefined, asker: whose },
  );
}

describe("a question", () => {
  test("a question on the stream of a call belongs to that call until it ends", () => {
    const [ada, bob] = [asker(), asker()];
    const [one, two] = [callOf(1, ada), callOf(2, bob)];
    const open = new PendingRequests();
    open.add(one);
    open.add(two);
    assert.equal(open.askerOn(one), ada);
    assert.equal(open.askerOn(two), bob);
    open.answered(1);
    assert.equal(open.askerOn(one), undefined);
    assert.deepEqual([one.wasAskedAside, two.wasAskedAside], [false, false]);
  });

  test("a question outside of a request belongs to the only running call; lists do not count", () => {
    const ada = asker();
    const [call, list] = [callOf(1, ada), callOf(2, undefined)];
    const open = new PendingRequests();
    assert.equal(open.askerOn(undefined), undefined);
    open.add(list);
    assert.equal(open.askerOn(undefined), undefined);
    open.add(call);
    assert.equal(open.askerOn(undefined), ada);
    assert.equal(call.wasAskedAside, true);
  });

  test("a question outside of a request belongs to no call if two calls run, or an abandoned one may still ask", () => {
    const [ada, bob] = [asker(), asker()];
    const open = new PendingRequests();
    open.add(callOf(1, ada));
    open.add(callOf(2, bob));
    assert.equal(open.askerOn(undefined), undefined);
    assert.equal(open.hasLoose, false);
    open.answered(1);
    assert.equal(open.askerOn(undefined), bob);
    open.givenUp(2);
    open.add(callOf(3, ada));
    assert.deepEqual([open.askerOn(undefined), open.hasLoose], [undefined, true]);
  });

  test("an abandoned list or an unknown request does not make the caller of a question uncertain", () => {
    const ada = asker();
    const open = new PendingRequests();
    open.add(callOf(1, undefined));
    open.givenUp(1);
    open.givenUp(7);
    open.add(callOf(2, ada));
    assert.deepEqual([open.askerOn(undefined), open.hasLoose], [ada, false]);
  });
});
