import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  defineOperation,
  definePlugin,
  type Identity,
  type Registration,
  Registry,
  type RootCall,
  Slices,
  type SpecDraft,
} from "../../core/index.ts";
import { createRuntime } from "../../runtime.ts";
import { ChangeWatch } from "./change-watch.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["secret"] };
const BOB: Identity = { id: "bob", authenticated: true, scopes: [] };

interface Item {
  readonly generation: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

const operation = (name: string, more: Partial<Omit<SpecDraft, "type" | "inputSchema">> = {}): Registration =>
  defineOperation({ description: "Answers.", ...more, name, type: "query", handler: () => "" });

function start() {
  const runtime = createRuntime();
  const set = (source: string, ...operations: readonly Registration[]) =>
    runtime.registry.apply({ replace: [definePlugin({ name: source, operations })] });
  const follow = async (root: RootCall) => {
    const items = await runtime.dispatch.invokeStreaming({ operation: "services/changes" }, root);
    const first = await items.next();
    assert.deepEqual(first.value, { generation: 0, added: [], removed: [], changed: [] });
    return items;
  };
  return { ...runtime, set, follow };
}

test("changes tells what came, went and changed, in the order of events, beginning with an empty item", async () => {
  const { set, follow } = start();
  set("box", operation("box/old"), operation("box/same"), operation("box/other"));
  const items = await follow({ identity: ADA });
  set("box", operation("box/new"), operation("box/same"), operation("box/other", { description: "Else." }));
  const expected = { added: ["box/new"], removed: ["box/old"], changed: ["box/other"] };
  assert.deepEqual((await items.next()).value, { generation: 1, ...expected });
  const waiting = items.next();
  set("box");
  const gone = { added: [], removed: ["box/new", "box/other", "box/same"], changed: [] };
  assert.deepEqual((await waiting).value, { generation: 2, ...gone });
});

test("a slow consumer gets many changes as one, and nothing of what came and went meanwhile", async () => {
  const { set, follow } = start();
  const items = await follow({ identity: ADA });
  for (let round = 0; round < 20_000; round++) set("box", operation(`box/at-${round}`));
  set("box", operation("box/last"));
  const { value } = await items.next();
  assert.deepEqual(value, { generation: 1, added: ["box/last"], removed: [], changed: [] });
});

test("rules that change are told as what they show and hide", async () => {
  const { registry, set, follow } = start();
  set("box", operation("box/one"), operation("box/two"));
  const items = await follow({ identity: ADA });
  const policy = { anonymous: true, hideForbidden: false, identitiesConfigured: true };
  registry.apply({ policy: { ...policy, deny: ["box/two"] } });
  assert.deepEqual((await items.next()).value?.removed, ["box/two"]);
  registry.apply({ policy: { ...policy, deny: ["box/one"] } });
  const { added, removed } = (await items.next()).value as Item;
  assert.deepEqual([added, removed], [["box/two"], ["box/one"]]);
});

test("another way through other nodes is a change, because an importer must look again", async () => {
  const { registry, follow } = start();
  const imported = (via: readonly string[]): Registration => ({
    ...operation("west/one"),
    provenance: "from-call",
    via,
  });
  const offer = (via: readonly string[]) =>
    registry.apply({ replace: [{ source: { name: "west" }, registrations: [imported(via)] }] });
  offer(["w1"]);
  const items = await follow({ identity: ADA });
  offer(["w2"]);
  assert.deepEqual((await items.next()).value?.changed, ["west/one"]);
});

test("a reader that stops following is released, also while nothing happens", async () => {
  const registry = new Registry();
  let listeners = 0;
  const { onChange } = registry;
  registry.onChange = (listener) => {
    listeners++;
    const stop = onChange.call(registry, listener);
    return () => {
      listeners--;
      stop();
    };
  };
  const controller = new AbortController();
  const context = {
    identity: ADA,
    connection: undefined,
    overlay: undefined,
    reach: undefined,
    signal: controller.signal,
  };
  const watch = () => new ChangeWatch({ registry, context, slices: new Slices() });
  for (const stop of [(items: ChangeWatch) => void items.return(), () => controller.abort()]) {
    const items = watch();
    await items.next();
    const waiting = items.next();
    assert.equal(listeners, 1);
    stop(items);
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.equal(listeners, 0);
  }
  assert.deepEqual(await watch().next(), { done: true, value: undefined });
  assert.equal(listeners, 0);
});

test("names asks for single operations, and whole specs say by which nodes a call goes", async () => {
  const { dispatch } = createRuntime({
    search: { node: "here" },
    sources: [
      definePlugin({ name: "box", operations: [operation("box/one", { aliases: ["box/uno"] })] }),
      {
        source: { name: "west" },
        registrations: [{ ...operation("west/two"), provenance: "from-call", via: ["west", "far"] }],
      },
      definePlugin({ name: "safe", operations: [operation("safe/key", { access: { scopes: ["secret"] } })] }),
    ],
  });
  const input = { full: true, names: ["box/uno", "/box/one", "west/two", "safe/key", "no/such"] };
  const page = (await dispatch.invoke({ operation: "services/list", input }, { identity: BOB })) as {
    readonly operations: readonly { readonly name: string; readonly via: readonly string[] }[];
  };
  assert.deepEqual(
    page.operations.map(({ name, via }) => [name, via]),
    [
      ["box/one", ["here"]],
      ["west/two", ["here", "west", "far"]],
    ],
  );
  const short = (await dispatch.invoke({ operation: "services/list" }, {})) as typeof page;
  assert.ok(short.operations.every((each) => !("via" in each)));
});

test("whatever happens to what a caller may not see, the changes that it is told are the same", async () => {
  const names = ["box/a", "box/b", "cup/a"];
  const kinds = ["open", "secret", "internal", "denied", "elsewhere"] as const;
  const stepOf = fc.record({
    name: fc.constantFrom(...names),
    kind: fc.constantFrom(...kinds),
    text: fc.constantFrom("One.", "Two."),
    there: fc.boolean(),
    read: fc.boolean(),
  });
  const run = async (
    steps: readonly { name: string; kind: string; text: string; there: boolean; read: boolean }[],
  ) => {
    const { registry, follow } = start();
    registry.apply({
      policy: { anonymous: true, hideForbidden: false, identitiesConfigured: false, deny: ["*/denied/*"] },
    });
    const items = await follow({ identity: BOB, connection: "mine" });
    const told: Item[] = [];
    const state = new Map<string, Registration>();
    let pending = items.next();
    const take = async () => {
      // A visible marker, so that there is always something to wait for.
      registry.apply({ replace: [definePlugin({ name: "mark", operations: [] })] });
      registry.apply({
        replace: [definePlugin({ name: "mark", operations: [operation(`mark/at-${told.length}`)] })],
      });
      const step = await pending;
      if (!step.done) told.push(step.value as Item);
      pending = items.next();
    };
    for (const { name, kind, text, there, read } of steps) {
      const full = `${name}/${kind}/x`;
      const access = kind === "secret" ? { scopes: ["secret"] } : {};
      const visibility = kind === "internal" ? ("internal" as const) : ("external" as const);
      if (there) state.set(full, operation(full, { description: text, access, visibility }));
      else state.delete(full);
      const connection = kind === "elsewhere" ? { connection: "theirs" } : {};
      const registrations = [...state].filter(([each]) => each === full).map(([, each]) => each);
      registry.apply({ replace: [{ source: { name: full, ...connection }, registrations }] });
      if (read) await take();
    }
    await take();
    await items.return?.();
    return told;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { maxLength: 12 }), async (steps) => {
      const told = await run(steps);
      // Hidden steps change nothing; whether something is read meanwhile stays the same.
      const honest = await run(
        steps.map((step) =>
          step.kind === "open" ? step : { ...step, name: "box/a", kind: "secret", there: false },
        ),
      );
      assert.deepEqual(told, honest);
      assert.doesNotMatch(JSON.stringify(told), /secret|internal|denied|elsewhere/);
    }),
    { numRuns: 150 },
  );
});
