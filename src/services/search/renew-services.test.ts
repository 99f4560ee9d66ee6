import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, definePlugin, Registry } from "../../core/index.ts";
import { createRuntime } from "../../runtime.ts";
import { renewServices } from "./services.ts";

function pluginOf(count: number) {
  const operations = Array.from({ length: count }, (_, number) =>
    defineOperation({
      name: `fruit/pick_${number}`,
      type: "query",
      description: `Picks apples of row ${number} and says much about how it does that. `.repeat(4),
      handler: () => null,
    }),
  );
  const send = defineOperation({
    name: "mail/send",
    type: "query",
    description: "Sends an email.",
    handler: () => null,
  });
  return definePlugin({ name: "fruit", operations: [...operations, send] });
}

const BY_MEANING = "compose a letter to my boss";

interface Page {
  readonly operations: { readonly name: string }[];
  readonly total: number;
}

test("services that are made anew follow their new options, and until then the old ones answer", async () => {
  const registry = new Registry();
  const { dispatch } = createRuntime({ registry, sources: [pluginOf(30)] });
  const ask = async (query: string) =>
    (await dispatch.invoke({ operation: "services/search", input: { query } })) as Page;
  assert.equal((await ask("apples")).operations.length, 10);
  assert.equal((await ask(BY_MEANING)).operations[0]?.name, "mail/send");

  const renewing = renewServices(registry, { dense: false, budgetTokens: 120 });
  assert.equal((await ask("apples")).operations.length, 10);
  await renewing;
  const { operations, total } = await ask("apples");
  assert.ok(operations.length < 10 && total === 30);
  assert.equal((await ask(BY_MEANING)).total, 0);

  registry.apply({ replace: [pluginOf(5)] });
  assert.equal((await ask("apples")).total, 5);
});

test("an index that was replaced follows the registry no longer", async () => {
  const registry = new Registry();
  let listening = 0;
  const onChange = registry.onChange.bind(registry);
  registry.onChange = (listener) => {
    listening++;
    const stop = onChange(listener);
    return () => {
      listening--;
      stop();
    };
  };
  const { dispatch } = createRuntime({ registry, sources: [pluginOf(3)] });
  const ask = () => dispatch.invoke({ operation: "services/search", input: { query: "apples" } });
  await ask();
  const before = listening;
  for (const budgetTokens of [200, 300, 400]) {
    await renewServices(registry, { budgetTokens });
    await ask();
  }
  assert.equal(listening, before);
});
