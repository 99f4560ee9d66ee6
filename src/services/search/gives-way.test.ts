import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
  ANONYMOUS,
  type Caller,
  DEFAULT_POLICY,
  defineOperation,
  type OperationContext,
  Registry,
  SLICE_MS,
  Slices,
} from "../../core/index.ts";
import { createWordVectors, MODEL_FILE, parseModel } from "./dense/index.ts";
import { typesOf } from "./hit.ts";
import { pageOf } from "./list.ts";
import { namespacesOf, openIndex } from "./search-index.ts";

const OPERATIONS = 1_200;
const CALLER: Caller = { identity: ANONYMOUS, internal: false };

/** Every look at the clock finds it a millisecond later, so a slice is a fixed number of steps. */
function createCountedSlices() {
  let time = 0;
  let turns = 0;
  const slices = new Slices({
    now: () => time++,
    later: (callback) => {
      turns++;
      setImmediate(callback);
    },
  });
  return {
    slices,
    /** How many turns of the event loop some work takes. */
    async during(work: () => Promise<unknown>): Promise<number> {
      const before = turns;
      await work();
      return turns - before;
    },
  };
}

function filled(): Registry {
  const registry = new Registry();
  const registrations = Array.from({ length: OPERATIONS }, (_, number) =>
    defineOperation({
      name: `a/item_${number}`,
      type: "query",
      description: `Handles thing ${number}.`,
      handler: () => null,
    }),
  );
  registry.apply({ replace: [{ source: { name: "a" }, registrations }] });
  return registry;
}

async function open(registry: Registry) {
  const counted = createCountedSlices();
  const index = await openIndex(registry, { slices: counted.slices, dense: false });
  return { ...counted, ...index };
}

/** Work that takes a step for each of so many things takes this many turns at least. */
function assertGivesWay(turns: number, things = OPERATIONS): void {
  assert.ok(turns >= things / (SLICE_MS + 2), `${turns} turns for ${things} things`);
}

describe("nothing that grows with the registry is done in one go", () => {
  test("an index is built step by step, and a change of a source is taken over so", async () => {
    const registry = filled();
    const { during, updater } = await open(registry);
    assertGivesWay(await during(() => updater.caughtUp()));
    const [set] = registry.snapshot().sources.values();
    assert.ok(set);
    registry.apply({ replace: [{ ...set, registrations: set.registrations.map((each) => ({ ...each })) }] });
    assertGivesWay(await during(() => updater.caughtUp()));
    registry.apply({ remove: ["a"] });
    assertGivesWay(await during(() => updater.caughtUp()));
  });

  test("the audience of a caller is prepared step by step, and again when the rules change", async () => {
    const registry = filled();
    const { during, updater, slices, parts } = await open(registry);
    await updater.caughtUp();
    const prepare = () => slices.run(parts.audiences.prepare(CALLER, () => registry.snapshot()));
    assertGivesWay(await during(prepare));
    assert.equal(await during(prepare), 0);
    registry.apply({ policy: { ...DEFAULT_POLICY, deny: ["a/item_7"] } });
    assertGivesWay(await during(prepare));
    assert.equal(parts.audiences.of(CALLER, registry.snapshot()).count, OPERATIONS - 1);
  });

  test("rules that change while a caller's view is worked out hold for all of it", async () => {
    const registry = filled();
    const { updater, slices, parts } = await open(registry);
    await updater.caughtUp();
    const steps = parts.audiences.prepare(CALLER, () => registry.snapshot());
    for (let step = 0; step < OPERATIONS / 2; step++) steps.next();
    registry.apply({ policy: { ...DEFAULT_POLICY, deny: ["*"] } });
    await slices.run(steps);
    assert.ok(!parts.audiences.isBehind(CALLER));
    assert.equal(parts.audiences.of(CALLER, registry.snapshot()).count, 0);
  });

  test("namespaces are counted and pages of the list made step by step", async () => {
    const registry = filled();
    const { during, updater, slices, parts } = await open(registry);
    await updater.caughtUp();
    const { visible } = parts.audiences.of(CALLER, registry.snapshot());
    assertGivesWay(await during(() => slices.run(namespacesOf(parts.documents, visible, undefined))));
    const context = { identity: ANONYMOUS } as OperationContext;
    const page = { namespace: undefined, types: typesOf(), cursor: "", most: 10 };
    assertGivesWay(await during(() => slices.run(pageOf(registry, context, page))));
  });

  test("lists of removed operations are swept step by step", async () => {
    const registry = filled();
    const { during, updater, parts } = await open(registry);
    await updater.caughtUp();
    const { dictionary, postings } = parts.lexical;
    const turns = await during(async () => {
      registry.apply({ remove: ["a"] });
      while (postings.countOf(dictionary.size - 1) > 0) await new Promise((resolve) => setImmediate(resolve));
    });
    assertGivesWay(turns, OPERATIONS + dictionary.size);
  });

  test("the word vectors are read step by step", async () => {
    const { during, slices } = createCountedSlices();
    const parts = parseModel(readFileSync(MODEL_FILE));
    assertGivesWay(await during(() => slices.run(createWordVectors(parts))), parts.words.length);
  });
});
