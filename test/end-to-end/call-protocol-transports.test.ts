import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CallError } from "pinhole/core";
import { type Connection, createConnection } from "../../src/protocol/index.ts";
import { type CallNode, startCallNode, WAYS } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";

for (const [name, connect] of Object.entries(WAYS)) {
  describe(`the call protocol over ${name}`, () => {
    const { plugin, witness, until } = createCallOperations();
    let node: CallNode;
    const open: Connection[] = [];

    before(async () => {
      node = await startCallNode({ sources: [plugin] });
    });
    after(async () => {
      for (const connection of open) connection.close();
      await node.close();
    });

    async function dial(
      options: Partial<Parameters<typeof createConnection>[0]> = {},
      at = node,
    ): Promise<Connection> {
      const connection = createConnection({ transport: await connect(at), ...options });
      open.push(connection);
      return connection;
    }

    test("calls are answered, many at a time, whatever their text and size", async () => {
      const connection = await dial();
      const inputs = Array.from({ length: 200 }, (_, index) => ({ index, text: "ü\u2028𝄞".repeat(index) }));
      const outputs = await Promise.all(inputs.map((input) => connection.call("demo/echo", input)));
      assert.deepEqual(outputs, inputs);
      const large = { text: "x".repeat(900_000) };
      assert.deepEqual(await connection.call("/demo/echo", large), large);
      assert.equal(connection.pending().outgoing, 0);
    });

    test("errors come with all they have, each for its own call", async () => {
      const connection = await dial();
      assert.deepEqual(await errorOf(connection.call("demo/fail")), {
        code: "DRY",
        message: "Nothing is left.",
        retryable: true,
        details: { since: "noon" },
      });
      assert.equal((await errorOf(connection.call("demo/none"))).code, "NOT_FOUND");
      assert.equal((await errorOf(connection.call("demo/echo", 7))).code, "INVALID_INPUT");
      assert.equal((await errorOf(connection.call("demo/count"))).code, "INVALID_OPERATION_TYPE");
      const items = connection.subscribe("demo/echo", {});
      assert.equal((await errorOf(items.next())).code, "INVALID_OPERATION_TYPE");
      assert.equal((await errorOf(connection.call("demo/hang", {}, { deadlineMs: 30 }))).code, "TIMEOUT");
    });

    test("a stream is whole and in order, and its maker stays within what was granted", async () => {
      const connection = await dial();
      witness.made = 0;
      let next = 0;
      for await (const item of connection.subscribe("demo/count", { to: 1_000 })) {
        assert.equal(item, next++);
        assert.ok(witness.made <= next + 32, `${witness.made} items were made when ${next} were taken`);
      }
      assert.equal(next, 1_000);
    });

    test("leaving a stream, or aborting a call, ends its handler", async () => {
      const connection = await dial();
      const released = witness.released;
      for await (const item of connection.subscribe("demo/count", {})) if (item === 40) break;
      await until((seen) => seen.released === released + 1);

      const controller = new AbortController();
      const entered = witness.contexts.length;
      const call = errorOf(connection.call("demo/hang", {}, { signal: controller.signal }));
      await until(({ contexts }) => contexts.length === entered + 1);
      controller.abort();
      assert.equal((await call).code, "ABORTED");
      const { signal } = witness.contexts.at(-1) ?? assert.fail();
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });

    test("a consumer that takes nothing gets SLOW_CONSUMER after what it was sent", async (t) => {
      const strict = await startCallNode({ sources: [plugin], call: { limits: { slowConsumerMs: 100 } } });
      t.after(() => strict.close());
      const connection = await dial({}, strict);
      const items = connection.subscribe("demo/count", {});
      await items.next();
      const released = witness.released;
      await until((seen) => seen.released === released + 1);
      const rest: unknown[] = [];
      const error = await errorOf(
        (async () => {
          for await (const item of items) rest.push(item);
        })(),
      );
      assert.equal(error.code, "SLOW_CONSUMER");
      assert.deepEqual(
        rest,
        Array.from({ length: 31 }, (_, index) => index + 1),
      );
    });

    test("the node may call back over the same connection", async () => {
      const peerComes = node.nextPeer();
      const connection = await dial({
        service: {
          call: async ({ operationId, input }) => ({ operationId, input }),
          async *subscribe({ input }) {
            for (let item = 0; item < (input as number); item++) yield item;
          },
        },
      });
      const peer = await peerComes;
      const answer = await peer.connection.call("own/thing", { a: 1 });
      assert.deepEqual(answer, { operationId: "/own/thing", input: { a: 1 } });
      const items = await allOf(peer.connection.subscribe("own/items", 100));
      assert.equal(items.length, 100);
      assert.deepEqual(await connection.call("demo/echo", { still: true }), { still: true });
    });

    test("closing fails what is pending at once, and ends what runs for it", async () => {
      const connection = await dial();
      const entered = witness.contexts.length;
      const calls = [1, 2, 3].map(() => errorOf(connection.call("demo/hang")));
      const items = connection.subscribe("demo/count", {});
      await until(({ contexts }) => contexts.length === entered + 4);
      const { signal } = witness.contexts.at(-1) ?? assert.fail();
      connection.close();
      for (const error of await Promise.all(calls)) assert.equal(error.code, "UNAVAILABLE");
      assert.equal((await errorOf(allOf(items))).code, "UNAVAILABLE");
      assert.equal((await errorOf(connection.call("demo/echo", {}))).code, "UNAVAILABLE");
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });

    test("what is no envelope closes the connection, and the reason is told", async () => {
      const transport = await connect(node);
      const connection = createConnection({ transport });
      transport.send('{"type":"call.unheard-of","id":"1","payload":{}}');
      const { message } = await connection.closed;
      assert.match(message, /type of an envelope is unknown to this protocol/);
    });
  });
}

async function allOf(items: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function errorOf(work: Promise<unknown>): Promise<ReturnType<CallError["toJSON"]>> {
  const thrown = await work.then(
    (value) => assert.fail(`It should have failed, and answered ${JSON.stringify(value)}`),
    (error) => error,
  );
  assert.ok(thrown instanceof CallError, String(thrown));
  return thrown.toJSON();
}
