import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "pinhole/client";
import { freePort } from "../support/free-port.ts";
import { namesOf, peerAt, startPeerProcess, untilAnswered, untilListed } from "../support/peer-process.ts";

test("three nodes in a ring bring each other in once, and a call that goes round is refused", async (t) => {
  const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
  const next = { a: "b", b: "c", c: "a" } as const;
  const start = (node: keyof typeof ports) =>
    startPeerProcess(t, ports[node], {
      server: { callProtocol: { nodeId: node } },
      sources: { [next[node]]: peerAt(ports[next[node]], { refreshMs: 1_000 }) },
    });
  const nodes = await Promise.all([start("a"), start("b"), start("c")]);
  const [atA, atB, atC] = await Promise.all(nodes.map((node) => node.connect()));
  assert.ok(atA && atB && atC);

  await t.test("each node has the operations of the two others, and its own only as its own", async () => {
    for (const [peer, near, far] of [
      [atA, "b", "b/c"],
      [atB, "c", "c/a"],
      [atC, "a", "a/b"],
    ] as const) {
      await untilListed(peer, (names) => names.includes(`${far}/demo/echo`));
      const names = await namesOf(peer);
      const places = new Set(names.map((name) => name.replace(/\/?[^/]+$/, "")));
      assert.deepEqual(
        [...places].sort(),
        [`${far}/demo`, `${near}/demo`, "demo", "services", "sources"].sort(),
      );
      assert.deepEqual(await peer.call(`${far}/demo/echo`, { round: 1 }), { round: 1 });
    }
  });

  await t.test("a call that comes round is refused by the node that has handed it on", async () => {
    const refused = async (hops: readonly string[]) => {
      const error = await atB.call("c/a/demo/echo", {}, { hops }).then(
        () => assert.fail("it was answered"),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof CallError);
      return error;
    };
    // a → b → c → a: a is the node that sees it twice.
    const { code, retryable, message } = await refused(["a"]);
    assert.deepEqual([code, retryable], ["UNAVAILABLE", false]);
    assert.match(message, /^This call has passed this node before/);
    assert.match((await refused(["b"])).message, /^This call has passed this node before/);
    const many = Array.from({ length: 7 }, (_, hop) => `n${hop}`);
    assert.match((await refused(many)).message, /^This call has passed 8 nodes, and 8 is the most/);
  });

  await t.test("so is one that operations compose into a loop", async () => {
    const through = (operation: string, input?: object) => ({ operation, ...(input && { input }) });
    const round = through("b/demo/through", through("c/demo/through", through("a/demo/echo")));
    const error = await atA.call("demo/through", round).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof CallError, JSON.stringify(error));
    const { code, message, retryable } = error;
    assert.deepEqual([code, retryable], ["UNAVAILABLE", false]);
    assert.match(
      message,
      /^A step of demo\/through, b\/demo\/through, ended with UNAVAILABLE: .*passed this node before/,
    );
    const inTime = through("b/demo/through", through("c/demo/echo"));
    assert.deepEqual(await atA.call("demo/through", inTime), {});
  });

  await t.test("a killed node is UNAVAILABLE to both others, and all of it comes back", async () => {
    const [, b] = nodes;
    await b?.kill();
    await assert.rejects(atA.call("b/demo/echo"), { code: "UNAVAILABLE", retryable: true });
    await assert.rejects(atC.call("a/b/demo/echo"), { code: "UNAVAILABLE", retryable: true });
    assert.deepEqual(await atC.call("a/demo/echo", {}), {});
    await b?.restart();
    await untilAnswered(atC, "a/b/demo/echo");
    await untilListed(atA, (names) => names.includes("b/c/demo/echo"));
    await untilListed(atC, (names) => names.includes("a/b/demo/echo"));
    const places = new Set((await namesOf(atC)).map((name) => name.replace(/\/?[^/]+$/, "")));
    assert.deepEqual([...places].sort(), ["a/b/demo", "a/demo", "demo", "services", "sources"]);
  });
});

test("a node that is told to bring in itself says so", async (t) => {
  const port = await freePort();
  const node = await startPeerProcess(t, port, { sources: { me: peerAt(port) } });
  const peer = await node.connect();
  for (;;) {
    const { sources } = (await peer.call("sources/list")) as {
      readonly sources: readonly { name: string; state: string; reason?: string }[];
    };
    const me = sources.find(({ name }) => name === "me");
    // At the start it does not listen yet, and is tried again.
    if (!me?.reason?.includes("passed this node")) continue;
    assert.equal(me.state, "unhealthy");
    break;
  }
});
