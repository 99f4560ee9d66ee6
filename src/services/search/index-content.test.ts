import assert from "node:assert/strict";
import { test } from "node:test";
import { ANONYMOUS, defineOperation, type Registration, Registry, Slices } from "../../core/index.ts";
import { contentOf } from "./index-content.ts";
import { openIndex } from "./open-index.ts";
import { contentHash } from "./saved/index.ts";
import { createSearchIndex } from "./search-index.ts";
import { fieldsOf } from "./text/index.ts";

function operation(name: string, description: string): Registration {
  return defineOperation({ name, type: "query", description, handler: () => null });
}

async function open(registry: Registry) {
  const save = () => Promise.reject(new Error("There is no file."));
  const index = await openIndex(registry, { slices: new Slices(), save, dense: false });
  await index.following.caughtUp();
  return index;
}

test("what comes while an index is read out is left out rather than kept by half", async () => {
  const source = { name: "a" };
  const first = operation("a/one", "apples and pears");
  const second = operation("a/two", "plums cherries melons");
  const registry = new Registry();
  registry.apply({ replace: [{ source, registrations: [first, second] }] });
  const { parts, following } = await open(registry);

  const steps = contentOf(parts);
  for (let step = 0; step < 5; step++) steps.next();
  const later = operation("a/three", "apples and melons");
  const changed = operation("a/two", "plums cherries melons apples");
  registry.apply({ replace: [{ source, registrations: [first, changed, later] }] });
  await following.caughtUp();
  let content = steps.next();
  while (!content.done) content = steps.next();

  const hashes = content.value.documents.map(({ hash }) => hash);
  assert.deepEqual(hashes, [contentHash(fieldsOf(first.spec, source))]);
});

test("an index that was saved while its registry changed finds everything after the next start", async () => {
  const registry = new Registry();
  const many = Array.from({ length: 300 }, (_, number) => operation(`a/item_${number}`, `apples ${number}`));
  registry.apply({ replace: [{ source: { name: "a" }, registrations: many }] });
  const index = createSearchIndex(registry, { dense: false });
  await index.ready();
  const saving = index.save();
  const more = Array.from({ length: 300 }, (_, number) =>
    operation(`b/item_${number}`, `apples plums ${number}`),
  );
  registry.apply({ replace: [{ source: { name: "b" }, registrations: more }] });
  const again = createSearchIndex(registry, { saved: await saving, dense: false });
  const request = { caller: { identity: ANONYMOUS, internal: false }, most: 1 };
  assert.equal((await again.search("apples", request)).total, 600);
  assert.equal((await again.search("plums", request)).total, 300);
});
