import assert from "node:assert/strict";
import { test } from "node:test";
import { completeSpec, type OperationSpec, type SpecDraft } from "../model/index.ts";
import { createSourceRules } from "./source-options.ts";

const specOf = (draft: Partial<SpecDraft> = {}): OperationSpec =>
  completeSpec({ name: "desk/put", type: "mutation", description: "Puts.", ...draft });

test("callers reach what a pattern names, by the source's own name, the local one or the whole one", () => {
  for (const [external, expected] of [
    [undefined, "external"],
    [[], "internal"],
    [["*"], "external"],
    [["put"], "external"],
    [["desk/put"], "external"],
    [["Put It!"], "external"],
    [["get*"], "internal"],
  ] as const) {
    const { apply } = createSourceRules({ external, scopes: [] });
    assert.equal(apply(specOf(), "Put It!").visibility, expected, String(external));
  }
});

test("an operation that its source keeps internal stays so, and what asks for more is told", () => {
  const { apply, problems } = createSourceRules({
    external: ["*"],
    scopes: [],
    operations: { put: { external: true } },
  });
  assert.equal(apply(specOf({ visibility: "internal" })).visibility, "internal");
  assert.deepEqual(problems(), [
    "operations.put.external: true has no effect, because its source keeps it internal",
  ]);
});

test("scopes of the source are asked for beside those of the operation, and an override takes the source's place", () => {
  const access = { scopes: ["own"], authenticated: true };
  const rules = createSourceRules({ scopes: ["all"], operations: { get: { scopes: ["one"] } } });
  assert.deepEqual(rules.apply(specOf({ access })).access, { ...access, scopes: ["own", "all"] });
  assert.deepEqual(rules.apply(specOf({ name: "desk/get", access })).access.scopes, ["own", "one"]);
  assert.deepEqual(createSourceRules({ scopes: [] }).apply(specOf({ access })).access, access);
});

test("name and description are as the operator says, and patterns are about the new name", () => {
  const { apply, problems } = createSourceRules({
    external: ["place"],
    scopes: [],
    operations: { put: { name: "place", description: "Places." }, gone: { external: false } },
  });
  const { name, namespace, description, visibility } = apply(specOf());
  assert.deepEqual([name, namespace, description, visibility], ["desk/place", "desk", "Places.", "external"]);
  assert.deepEqual(problems(), ["operations.gone matches no operation of the source"]);
});

test("an operator ends aliases by naming those that stay; what the operation does not have has no effect and is told", () => {
  const aliases = ["desk/add_item", "desk/add"];
  const aliasesBy = (keep: readonly string[], given: readonly string[] = aliases) => {
    const { apply, problems } = createSourceRules({ scopes: [], operations: { put: { aliases: keep } } });
    return [apply(specOf({ aliases: given })).aliases, problems()];
  };
  assert.deepEqual(aliasesBy([]), [[], []]);
  assert.deepEqual(aliasesBy(["desk/add"]), [["desk/add"], []]);
  assert.deepEqual(aliasesBy(["desk/add", "desk/new"]), [
    ["desk/add"],
    ["operations.put.aliases: desk/new has no effect, because the operation does not have this alias"],
  ]);
  assert.deepEqual(aliasesBy([], []), [
    [],
    ["operations.put.aliases has no effect, because the operation has none"],
  ]);
  assert.deepEqual(createSourceRules({ scopes: [] }).apply(specOf({ aliases })).aliases, aliases);
});
