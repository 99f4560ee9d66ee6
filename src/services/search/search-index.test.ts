import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANONYMOUS,
  type Caller,
  defineOperation,
  type Registration,
  Registry,
  type SourceSet,
} from "../../core/index.ts";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";

const CALLER: Caller = { identity: ANONYMOUS, internal: false };

function operation(name: string, description = "For a test."): Registration {
  return defineOperation({ name, type: "query", description, handler: () => null });
}

function set(name: string, operations: readonly Registration[], source: object = {}): SourceSet {
  return { source: { name, ...source }, registrations: operations };
}

async function namesFor(index: SearchIndex, query: string, caller = CALLER): Promise<readonly string[]> {
  const { entries } = await index.search(query, { caller, most: 10 });
  return entries.map(({ registration }) => registration.spec.name);
}

test("an index follows what comes, changes and goes", async () => {
  const registry = new Registry();
  const index = createSearchIndex(registry, { dense: false });
  registry.apply({ replace: [set("a", [operation("a/one", "apples"), operation("a/two", "pears")])] });
  assert.deepEqual(await namesFor(index, "apples"), ["a/one"]);
  registry.apply({ replace: [set("a", [operation("a/one", "plums"), operation("a/two", "pears")])] });
  assert.deepEqual(await namesFor(index, "apples"), []);
  assert.deepEqual(await namesFor(index, "plums"), ["a/one"]);
  registry.apply({ replace: [set("a", [operation("a/two", "pears")])] });
  assert.deepEqual(await namesFor(index, "plums"), []);
  registry.apply({ remove: ["a"] });
  assert.deepEqual(await namesFor(index, "pears"), []);
});

test("a name that goes over to another source within one change is kept, in either order", async () => {
  const registry = new Registry();
  const index = createSearchIndex(registry, { dense: false });
  const moving = operation("x/one", "apples");
  registry.apply({ replace: [set("a", [moving]), set("b", [])] });
  assert.deepEqual(await namesFor(index, "apples"), ["x/one"]);
  registry.apply({ replace: [set("b", [moving]), set("a", [])] });
  assert.deepEqual(await namesFor(index, "apples"), ["x/one"]);
  registry.apply({ remove: ["b"], replace: [set("a", [moving])] });
  assert.deepEqual(await namesFor(index, "apples"), ["x/one"]);
});

test("the title of a source is found with its operations, also when it changes", async () => {
  const registry = new Registry();
  const index = createSearchIndex(registry, { dense: false });
  const operations = [operation("a/one")];
  registry.apply({ replace: [set("a", operations, { title: "Orchard" })] });
  assert.deepEqual(await namesFor(index, "orchard"), ["a/one"]);
  registry.apply({ replace: [set("a", operations, { title: "Vineyard" })] });
  assert.deepEqual(await namesFor(index, "orchard"), []);
  assert.deepEqual(await namesFor(index, "vineyard"), ["a/one"]);
});

test("a registration that differs only in who may call it is seen by others at once", async () => {
  const registry = new Registry();
  const index = createSearchIndex(registry, { dense: false });
  const open = operation("a/one", "apples");
  const imported = { ...open, provenance: "from-mcp" as const };
  const policy = { deny: [], anonymous: true, hideForbidden: false, identitiesConfigured: true };
  registry.apply({ replace: [set("a", [{ ...imported, public: true }])], policy });
  assert.deepEqual(await namesFor(index, "apples"), ["a/one"]);
  registry.apply({ replace: [set("a", [imported])] });
  assert.deepEqual(await namesFor(index, "apples"), []);
  registry.apply({ policy: { ...policy, identitiesConfigured: false } });
  assert.deepEqual(await namesFor(index, "apples"), ["a/one"]);
});

test("operations of one connection are found on that connection alone", async () => {
  const registry = new Registry();
  const index = createSearchIndex(registry, { dense: false });
  registry.apply({
    replace: [
      set("mine", [operation("own/one", "apples")], { connection: "mine" }),
      set("theirs", [operation("own/one", "apples and pears")], { connection: "theirs" }),
    ],
  });
  assert.deepEqual(await namesFor(index, "apples"), []);
  const { entries } = await index.search("apples", { caller: { ...CALLER, connection: "mine" }, most: 10 });
  assert.deepEqual(
    entries.map(({ source }) => source.name),
    ["mine"],
  );
  registry.apply({ replace: [set("all", [operation("own/one", "apples for all")])], remove: ["theirs"] });
  const shared = await index.search("apples", { caller: { ...CALLER, connection: "mine" }, most: 10 });
  assert.deepEqual([shared.total, ...shared.entries.map(({ source }) => source.name)], [1, "all"]);
});

test("an index that changes over and over stays right and gives numbers again", async () => {
  const registry = new Registry();
  const index = createSearchIndex(registry, { dense: false });
  for (let round = 0; round < 12; round++) {
    const operations = Array.from({ length: 200 }, (_, number) =>
      operation(`a/round${round}_${number}`, `apples of round ${round}`),
    );
    registry.apply({ replace: [set("a", operations)] });
    const { total } = await index.search("apples", { caller: CALLER, most: 5 });
    assert.equal(total, 200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal((await namesFor(index, "a/round11_7"))[0], "a/round11_7");
});

test("no slice of the work holds up the event loop, and queries wait for the whole", async () => {
  const registry = new Registry();
  const words = ["apple", "pear", "plum", "cherry", "grape", "melon"];
  const many = Array.from({ length: 4_000 }, (_, number) =>
    operation(`a/item_${number}`, `Handles ${words[number % 6]} ${number} and more. `.repeat(8)),
  );
  registry.apply({ replace: [set("a", many)] });
  let turns = 0;
  const index = createSearchIndex(registry);
  const counting = setInterval(() => turns++, 1);
  const { total } = await index.search("cherry", { caller: CALLER, most: 10 });
  clearInterval(counting);
  assert.ok(total >= 666);
  assert.ok(turns > 3, `the event loop turned ${turns} times`);
});

test("an explanation names the words and the parts of an operation that counted", async () => {
  const registry = new Registry();
  registry.apply({ replace: [set("a", [operation("a/pick_apples", "Picks ripe fruit.")])] });
  const index = createSearchIndex(registry);
  const [best] = await index.explain("picking ripe aples", { caller: CALLER, most: 1 });
  assert.equal(best?.name, "a/pick_apples");
  const seen = best?.words.map(({ word, found, field }) => `${word} ${found} ${field}`);
  assert.deepEqual(
    new Set(seen),
    new Set(["pick pick name", "pick pick description", "ripe ripe description", "apl appl name"]),
  );
  const sum = best?.words.reduce((all, { points }) => all + points, 0) ?? 0;
  assert.ok(Math.abs(sum - (best?.lexical ?? 0)) < 0.01);
});

test("meaning finds what no word does", async () => {
  const registry = new Registry();
  registry.apply({
    replace: [
      set("a", [
        operation("shop/track_order", "Tells where a parcel is."),
        operation("mail/send", "Sends an email."),
        operation("weather/forecast", "The outlook for the next days."),
      ]),
    ],
  });
  assert.equal((await namesFor(createSearchIndex(registry), "compose a letter to my boss"))[0], "mail/send");
});
