import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, definePlugin, type Identity } from "../model/index.ts";
import { Registry } from "../registry/index.ts";
import { type OverlayCaller, Overlays } from "./overlays.ts";

const identity = (id: string): Identity => ({ id, authenticated: true, scopes: [] });
const own = (name: string) =>
  definePlugin({
    name: "mine",
    operations: [defineOperation({ name, type: "query", description: "Mine.", handler: () => name })],
  });

test("an overlay is made once for a caller, and seen under its key alone", async () => {
  const registry = new Registry();
  const asked: string[] = [];
  const overlays = new Overlays({
    registry,
    overlay: async ({ identity: { id } }) => {
      asked.push(id);
      return id === "none" ? undefined : own(`mine/${id}`);
    },
  });
  const [ada, again, bob, none] = await Promise.all(
    ["ada", "ada", "bob", "none"].map((id) => overlays.open(identity(id))),
  );
  assert.equal(ada, again);
  assert.equal(none, undefined);
  assert.deepEqual(asked, ["ada", "bob", "none"]);
  const sees = (name: string, overlay?: string) => registry.snapshot().find(name, { overlay }) !== undefined;
  assert.deepEqual([sees("mine/ada"), sees("mine/ada", ada), sees("mine/ada", bob)], [false, true, false]);
});

test("an overlay ends when too many others are used, when it is not used, and with all others", async () => {
  const registry = new Registry();
  const callers = new Map<string, OverlayCaller>();
  const options = {
    registry,
    overlay: (caller: OverlayCaller) => {
      callers.set(caller.identity.id, caller);
      return own(`mine/${caller.identity.id}`);
    },
  };
  const isOver = (id: string) => callers.get(id)?.signal.aborted;
  const overlays = new Overlays({ ...options, most: 2 });
  for (const id of ["ada", "bob", "ada", "eve"]) await overlays.open(identity(id));
  assert.deepEqual(["ada", "bob", "eve"].map(isOver), [false, true, false]);
  assert.equal(registry.snapshot().sources.size, 2);
  overlays.clear();
  assert.deepEqual(["ada", "eve"].map(isOver), [true, true]);
  assert.equal(registry.snapshot().sources.size, 0);
  const brief = new Overlays({ ...options, idleMs: -1 });
  await brief.open(identity("ada"));
  await brief.open(identity("bob"));
  assert.equal(registry.snapshot().sources.size, 0, "none of them was used recently");
});

test("an overlay that cannot be made or registered is logged, and tried again at the next call", async () => {
  const registry = new Registry();
  registry.apply({ replace: [own("mine/taken")] });
  const logged: unknown[] = [];
  const log = { warn: () => {}, error: (_: string, fields?: object) => logged.push(fields) };
  let attempts = 0;
  const overlays = new Overlays({
    registry,
    log,
    patienceMs: 5,
    overlay: () => {
      attempts++;
      if (attempts === 1) throw new Error("The store is away.");
      return attempts === 2 ? own("mine/taken") : attempts === 3 ? new Promise(() => {}) : own("mine/free");
    },
  });
  const keys: unknown[] = [];
  for (let at = 0; at < 4; at++) keys.push(await overlays.open(identity("ada")));
  assert.deepEqual(keys.slice(0, 3), [undefined, undefined, undefined]);
  assert.notEqual(keys[3], undefined);
  const reasons = logged.map((fields) => (fields as { reason: string }).reason);
  assert.match(
    reasons.join("\n"),
    /store is away.*\n.*"mine\/taken" is offered by.*\n.*not made within 5 ms/,
  );
});
