import assert from "node:assert/strict";
import { test } from "node:test";
import type { Peer } from "pinhole/client";
import { freePort } from "../support/free-port.ts";
import { peerAt, startPeerProcess, untilListed } from "../support/peer-process.ts";
import { scaled } from "../support/scale.ts";

const ITEMS = scaled(3_000, 50_000);
const SUBSCRIPTIONS = scaled(100, 1_000);
const MEBIBYTE = 1024 * 1024;

interface Told {
  readonly made: number;
  readonly released: number;
  readonly rss: number;
}

const tell = async (peer: Peer, at = "") => (await peer.call(`${at}demo/tell`)) as Told;

test(`${ITEMS} items over two hops and the items of ${SUBSCRIPTIONS} subscriptions at once all arrive`, async (t) => {
  const [pa, pb, pc] = [await freePort(), await freePort(), await freePort()];
  const c = await startPeerProcess(t, pc);
  await startPeerProcess(t, pb, { sources: { c: peerAt(pc) } });
  const a = await startPeerProcess(t, pa, { sources: { b: peerAt(pb) } });
  const atA = await a.connect();
  await untilListed(atA, (names) => names.includes("b/c/demo/count"));
  const memory = async () => {
    const told = await Promise.all(["", "b/", "b/c/"].map((at) => tell(atA, at)));
    return told.map(({ rss }) => rss);
  };

  await t.test("items come in order, and no node holds them", async (inner) => {
    let expected = 0;
    let early: readonly number[] = [];
    for await (const item of atA.subscribe("b/c/demo/count", { to: ITEMS, pad: 4_000 })) {
      assert.equal((item as { item: number }).item, expected++);
      if (expected === ITEMS / 2) early = await memory();
    }
    assert.equal(expected, ITEMS);
    const late = await memory();
    const grown = late.map((rss, node) => (rss - (early[node] ?? 0)) / MEBIBYTE);
    inner.diagnostic(
      `Memory of the three nodes after half: ${early.map(shown)}; grown by ${grown.map(Math.round)} MiB`,
    );
    // Half of the full size are 100 MB of items: a node that kept them would be seen.
    for (const mebibytes of grown) assert.ok(mebibytes < 48, `grown by ${mebibytes} MiB`);
  });

  await t.test("a consumer that stops taking items stops their making", async () => {
    // Only now: a connection without a token on which nothing runs is let go of.
    const atC = await c.connect();
    const before = await tell(atC);
    const items = atA.subscribe("b/c/demo/count");
    await items.next();
    let made = -1;
    for (let still = 0; still < 20; ) {
      const now = (await tell(atC)).made;
      still = now === made ? still + 1 : 0;
      made = now;
    }
    assert.ok(made - before.made < 200, `${made - before.made} items wait`);
    await items.return?.();
  });

  await t.test("many subscriptions share one connection, each in order", async () => {
    const one = async () => {
      const seen: unknown[] = [];
      for await (const item of atA.subscribe("b/c/demo/count", { to: 50 })) seen.push(item);
      return seen;
    };
    const all = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, one));
    const expected = Array.from({ length: 50 }, (_, item) => item);
    for (const seen of all) assert.deepEqual(seen, expected);
  });

  await t.test("many that stay open are all let go of when their consumer goes", async () => {
    const atC = await c.connect();
    const before = await tell(atC);
    const open = Array.from({ length: SUBSCRIPTIONS }, () => atA.subscribe("b/c/demo/tick"));
    for (const { value } of await Promise.all(open.map((items) => items.next())))
      assert.equal(value, "first");
    atA.close();
    for (;;) if ((await tell(atC)).released === before.released + SUBSCRIPTIONS) break;
  });
});

function shown(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
