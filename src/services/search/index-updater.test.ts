import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, type Log, Registry, Slices, type SourceSet } from "../../core/index.ts";
import { type Follower, IndexUpdater } from "./index-updater.ts";

function set(name: string, count: number): SourceSet {
  const registrations = Array.from({ length: count }, (_, number) =>
    defineOperation({
      name: `${name}/${number}`,
      type: "query",
      description: "For a test.",
      handler: () => null,
    }),
  );
  return { source: { name }, registrations };
}

/** A follower that writes down what it is told. Every step takes a whole slice. */
function createUpdater(registry: Registry, cannotTake?: string) {
  const seen: string[] = [];
  const logged: unknown[] = [];
  const log: Log = { warn: () => {}, error: (_message, fields) => logged.push(fields?.operation) };
  const follower: Follower = {
    put({ registration: { spec } }) {
      if (spec.name === cannotTake) throw new TypeError("Cannot read properties of undefined");
      seen.push(`put ${spec.name}`);
    },
    swap: ({ registration: { spec } }) => void seen.push(`swap ${spec.name}`),
    take: (name) => void seen.push(`take ${name}`),
    policyChanged: () => void seen.push("policy"),
    *tidy() {
      yield void seen.push("tidy");
    },
  };
  let time = 0;
  const slices = new Slices({
    now: () => {
      time += 10;
      return time;
    },
    later: (callback) => void setImmediate(callback),
  });
  const told = () => seen.splice(0).filter((each) => each !== "tidy");
  return { seen, told, logged, updater: new IndexUpdater(registry, follower, { slices, log }) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a follower sees each change once, unchanged operations as such, and removals before additions", async () => {
  const registry = new Registry();
  registry.apply({ replace: [set("a", 2)] });
  const { told, updater } = createUpdater(registry);
  await updater.caughtUp();
  assert.deepEqual(told(), ["put a/0", "put a/1"]);
  registry.apply({ replace: [set("a", 1), set("b", 1)] });
  await updater.caughtUp();
  assert.deepEqual(told(), ["take a/1", "swap a/0", "put b/0"]);
});

test("an index catches up without being asked, then tidies", async () => {
  const registry = new Registry();
  const { seen, told } = createUpdater(registry);
  registry.apply({ replace: [set("a", 3)] });
  assert.equal(seen.length, 0, "whoever changes the registry does not do the work");
  while (seen.at(-1) !== "tidy") await turn();
  assert.deepEqual(told(), ["put a/0", "put a/1", "put a/2"]);
});

test("an updater that is closed in the middle stops there, and queries do not wait for it", async () => {
  const registry = new Registry();
  registry.apply({ replace: [set("a", 50)] });
  const { seen, told, updater } = createUpdater(registry);
  const waiting = updater.caughtUp();
  await turn();
  assert.ok(seen.length > 0 && seen.length < 50);
  updater.close();
  told();
  await waiting;
  registry.apply({ replace: [set("b", 5)] });
  await updater.caughtUp();
  await turn();
  assert.ok(!updater.isBehind);
  assert.deepEqual(told(), []);
});

test("an operation that cannot be indexed is left out and logged, and those after it are taken", async () => {
  const registry = new Registry();
  registry.apply({ replace: [set("a", 3)] });
  const { told, logged, updater, seen } = createUpdater(registry, "a/1");
  while (seen.at(-1) !== "tidy") await turn();
  assert.deepEqual(told(), ["put a/0", "put a/2"]);
  assert.deepEqual(logged, ["a/1"]);
  registry.apply({ replace: [set("b", 1)] });
  await updater.caughtUp();
  assert.deepEqual(told(), ["put b/0"]);
});
