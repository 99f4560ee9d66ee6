import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AuditEntry, defineOperation, definePlugin, type SourceSet } from "pinhole/core";
import type { PeerSourceOptions } from "../../src/adapters/from-call/options.ts";
import { createPeerSource } from "../../src/adapters/from-call/peer-source.ts";
import { type CallNodeOptions, startCallNode } from "../support/call-node.ts";

const LOG = { warn: () => {}, error: () => {} };

const operation = (name: string) =>
  defineOperation({ name, type: "query", description: "Answers.", handler: () => name });

/** A node with many operations, and a source that brings it in. */
async function start(t: TestContext, node: CallNodeOptions = {}, more: Partial<PeerSourceOptions> = {}) {
  const entries: AuditEntry[] = [];
  const many = Array.from({ length: 1_200 }, (_, at) => operation(`box/op-${at}`));
  const west = await startCallNode({
    sources: [definePlugin({ name: "box", operations: many })],
    audit: (entry) => entries.push(entry),
    ...node,
  });
  t.after(() => west.close());
  const sets: SourceSet[] = [];
  const waiting: ((set: SourceSet) => void)[] = [];
  const options: PeerSourceOptions = {
    name: "west",
    url: new URL(west.url),
    external: ["*"],
    scopes: [],
    public: false,
    timeoutMs: 5_000,
    refreshMs: 600_000,
    allowPrivate: true,
    nodeId: "hub",
    log: LOG,
    ...more,
  };
  const source = createPeerSource(options, (set) => {
    sets.push(set);
    waiting.shift()?.(set);
  });
  t.after(() => source.close());
  await source.firstAttempt;
  const lists = () => entries.filter(({ operation: name }) => name === "services/list").length;
  const nextSet = () => new Promise<SourceSet>((resolve) => waiting.push(resolve));
  return { west, source, sets, lists, nextSet };
}

test("a list of several pages comes in once, and later only what has changed is asked for", async (t) => {
  const { west, source, sets, lists, nextSet } = await start(t);
  assert.deepEqual(source.health(), { state: "healthy", operations: 1_200, leftOut: [], warnings: [] });
  assert.equal(sets[0]?.registrations[0]?.provenance, "from-call");
  const before = lists();
  assert.ok(before >= 3, `${before} pages`);
  const next = nextSet();
  const { registry } = west.runtime;
  registry.apply({ replace: [definePlugin({ name: "new", operations: [operation("box/new")] })] });
  assert.equal((await next).registrations.length, 1_201);
  assert.equal(lists(), before + 1, "one call by name");
  const gone = nextSet();
  registry.apply({ remove: ["new"] });
  assert.equal((await gone).registrations.length, 1_200);
  await source.refresh();
  assert.equal(sets.length, 3, "the same again is no news");
  const most = nextSet();
  registry.apply({ remove: ["box"] });
  assert.equal((await most).registrations.length, 0);
});

test("a node that tells of no changes is looked at from time to time", async (t) => {
  const policy = { deny: ["services/changes"] };
  const { west, source, sets, nextSet } = await start(t, { policy }, { refreshMs: 50 });
  assert.equal(source.health().state, "healthy");
  const next = nextSet();
  west.runtime.registry.apply({ remove: ["box"] });
  assert.equal((await next).registrations.length, 0);
  assert.equal(sets.length, 2);
});

test("while a peer is gone its operations stay and are UNAVAILABLE, and its list is read again when it is back", async (t) => {
  let lost = () => {};
  const isLost = new Promise<void>((resolve) => {
    lost = resolve;
  });
  const { west, source, sets, nextSet } = await start(
    t,
    {},
    { log: { warn: () => lost(), error: () => {} } },
  );
  const handler = sets[0]?.registrations[0]?.handler;
  assert.ok(handler?.kind === "once");
  const context = {
    principal: { id: "ada" },
    capabilities: { get: () => undefined },
    hops: [],
    signal: new AbortController().signal,
  };
  const run = async () => handler.run({}, context as never);
  const back = nextSet();
  for (const { connection } of west.projection.peers()) connection.close();
  west.runtime.registry.apply({
    replace: [definePlugin({ name: "box", operations: [operation("box/op-0")] })],
  });
  await isLost;
  await assert.rejects(run, { code: "UNAVAILABLE", retryable: true });
  assert.equal(sets.length, 1, "nothing is taken back");
  assert.equal(source.connectedSince(), undefined);
  assert.notEqual(source.health().state, "healthy");
  assert.equal((await back).registrations.length, 1, "what was removed meanwhile is gone then");
  assert.equal(source.reconnects(), 1);
  assert.ok(source.connectedSince() !== undefined);
});
