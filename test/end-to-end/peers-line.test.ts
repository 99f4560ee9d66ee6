import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, type Peer } from "pinhole/client";
import { freePort } from "../support/free-port.ts";
import { namesOf, peerAt, startPeerProcess, untilAnswered, untilListed } from "../support/peer-process.ts";

const HOPS = ["a", "b"];

test("three nodes in a line: calls, streams, aborts, a killed middle node", async (t) => {
  const [pa, pb, pc] = [await freePort(), await freePort(), await freePort()];
  const node = (nodeId: string) => ({ server: { callProtocol: { nodeId } } });
  const c = await startPeerProcess(t, pc, node("c"));
  const b = await startPeerProcess(t, pb, { ...node("b"), sources: { c: peerAt(pc) } });
  const a = await startPeerProcess(t, pa, { ...node("a"), sources: { b: peerAt(pb) } });
  const [atA, atC] = [await a.connect(), await c.connect()];
  const far = "b/c/demo/echo";
  await untilListed(atA, (names) => names.includes(far));

  await t.test(
    "names, types, descriptions and errors come over two hops, and nothing of services",
    async () => {
      const names = await namesOf(atA);
      const demo = ["count", "echo", "fail", "hang", "tell", "through", "tick", "whoami"];
      const expected = ["demo", "b/demo", "b/c/demo"].flatMap((at) => demo.map((each) => `${at}/${each}`));
      const own = ["changes", "list", "list-peers", "offer", "schema", "search"].map(
        (each) => `services/${each}`,
      );
      assert.deepEqual(names, [...expected, ...own, "sources/list"].sort());
      const { operations } = (await atA.call("services/schema", { names: [far, "b/c/demo/fail"] })) as {
        readonly operations: readonly Record<string, unknown>[];
      };
      const [echo, fail] = operations;
      assert.equal(echo?.type, "query");
      assert.equal(echo?.description, "Answers with its input.");
      assert.equal(echo?.deprecated, "b/c/demo/whoami");
      assert.deepEqual(echo?.annotations, { readOnlyHint: true });
      assert.equal(fail?.type, "mutation");
      assert.deepEqual(fail?.errors, [
        { code: "DRY", description: "Nothing is left.", retryable: true, httpStatus: 503 },
      ]);
    },
  );

  await t.test("a call arrives with its way, its caller, its trace and its deadline", async () => {
    assert.deepEqual(await atA.call(far, { deep: [1, { x: null }] }), { deep: [1, { x: null }] });
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const seen = (await atA.call(
      "b/c/demo/whoami",
      {},
      { traceparent, deadlineMs: 9_000, forwardedFor: "me" },
    )) as {
      readonly left: number;
    };
    const { left, ...rest } = seen;
    assert.deepEqual(rest, {
      id: "anonymous",
      forwardedFor: "me, anonymous, anonymous",
      hops: HOPS,
      traceparent,
    });
    assert.ok(left > 0 && left <= 9_000, `${left} ms are left`);
    const composed = (await atA.call("demo/through", { operation: "b/c/demo/whoami" })) as { hops: string[] };
    assert.deepEqual(composed.hops, HOPS, "also by way of a composition");
  });

  await t.test("errors keep code, message, details and whether to try again", async () => {
    const error = await failureOf(atA.call("b/c/demo/fail"));
    assert.deepEqual(error.toJSON(), {
      code: "DRY",
      message: "Nothing is left.",
      retryable: true,
      details: { since: "noon" },
    });
    assert.equal((await failureOf(atA.call("b/c/demo/none"))).code, "NOT_FOUND");
    assert.equal((await failureOf(atA.call("b/c/demo/count"))).code, "INVALID_OPERATION_TYPE");
    assert.equal((await failureOf(atA.call("b/c/demo/hang", {}, { deadlineMs: 150 }))).code, "TIMEOUT");
  });

  await t.test(
    "streams come whole and in order, and end at their source when nobody wants more",
    async () => {
      const items: unknown[] = [];
      for await (const item of atA.subscribe("b/c/demo/count", { to: 500 })) items.push(item);
      assert.deepEqual(
        items,
        Array.from({ length: 500 }, (_, item) => item),
      );
      const before = await tell(atC);
      for await (const item of atA.subscribe("b/c/demo/count")) if (item === 10) break;
      const after = await until(atC, ({ released }) => released > before.released);
      // What two windows of credit and the items on their way can hold, and not all that could be made.
      assert.ok(after.made - before.made < 200, `${after.made - before.made} items were made for 11`);
    },
  );

  await t.test("an abort reaches the handler at the end of the line", async () => {
    const before = await tell(atC);
    const controller = new AbortController();
    const hanging = failureOf(atA.call("b/c/demo/hang", {}, { signal: controller.signal }));
    await until(atC, ({ started }) => started > before.started);
    controller.abort();
    assert.equal((await hanging).code, "ABORTED");
    await until(atC, ({ aborted }) => aborted > before.aborted);
  });

  await t.test(
    "a killed middle node fails what runs, its operations are UNAVAILABLE, and work again when it is back",
    async () => {
      const before = await tell(atC);
      const items = atA.subscribe("b/c/demo/tick");
      assert.deepEqual(await items.next(), { done: false, value: "first" });
      const hanging = failureOf(atA.call("b/c/demo/hang"));
      await until(atC, ({ started }) => started > before.started);
      await b.kill();
      for (const error of [await hanging, await failureOf(items.next())]) {
        assert.deepEqual([error.code, error.retryable], ["UNAVAILABLE", true]);
      }
      const meanwhile = await failureOf(atA.call(far));
      assert.deepEqual([meanwhile.code, meanwhile.retryable], ["UNAVAILABLE", true]);
      assert.ok((await namesOf(atA)).includes(far), "it is still found");
      // The far end lets go of what the middle had asked for.
      await until(atC, ({ aborted, released }) => aborted > before.aborted && released > before.released);
      await b.restart();
      await untilAnswered(atA, far);
      assert.deepEqual(await atA.call(far, { back: true }), { back: true });
      const { sources } = (await atA.call("sources/list")) as { sources: Record<string, unknown>[] };
      const { name, kind, state, reconnects } = sources.find((source) => source.name === "b") ?? {};
      assert.deepEqual(
        { name, kind, state, reconnects },
        { name: "b", kind: "peer", state: "healthy", reconnects: 1 },
      );
    },
  );

  await t.test("operators see who is connected, in and out", async () => {
    const peers = (await (await b.connect()).call("services/list-peers")) as {
      readonly node: string;
      readonly incoming: readonly Record<string, unknown>[];
      readonly outgoing: readonly Record<string, unknown>[];
    };
    assert.equal(peers.node, "b");
    assert.equal(peers.incoming.length, 2, "the node a, and this client");
    assert.deepEqual(Object.keys(peers.incoming[0] ?? {}), [
      "id",
      "identity",
      "since",
      "calls",
      "running",
      "offers",
      "operations",
    ]);
    const [out] = peers.outgoing;
    assert.deepEqual([out?.source, out?.state, out?.calls], ["c", "healthy", 2]);
    assert.ok(Array.isArray(out?.operations) && out.operations.includes("c/demo/count"));
  });
});

interface Told {
  readonly started: number;
  readonly aborted: number;
  readonly made: number;
  readonly released: number;
}

const tell = async (peer: Peer) => (await peer.call("demo/tell")) as Told;

async function until(peer: Peer, holds: (told: Told) => boolean): Promise<Told> {
  for (;;) {
    const told = await tell(peer);
    if (holds(told)) return told;
  }
}

async function failureOf(work: Promise<unknown>): Promise<CallError> {
  const error = await work.then(
    (value) => assert.fail(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CallError, String(error));
  return error;
}
