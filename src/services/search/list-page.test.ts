import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, type OperationContext, Registry } from "../../core/index.ts";
import { typesOf } from "./hit.ts";
import { pageOf } from "./list.ts";

test("a namespace whose operations are all hidden takes no more steps than one that does not exist", () => {
  const registry = new Registry();
  const hidden = Array.from({ length: 1_000 }, (_, n) =>
    defineOperation({
      name: `vault/open_${n}`,
      type: "query",
      description: "Opens it.",
      visibility: n % 2 === 0 ? "internal" : "external",
      access: { scopes: ["vault"] },
      handler: () => "open",
    }),
  );
  registry.apply({ replace: [{ source: { name: "vault" }, registrations: hidden }] });
  const identity = { id: "anyone", authenticated: false, scopes: [] };
  const context = { identity } as Partial<OperationContext> as OperationContext;
  const stepsFor = (namespace: string) =>
    [...pageOf(registry, context, { namespace, types: typesOf(), cursor: "", most: 100 })].length;
  assert.equal(stepsFor("vault"), stepsFor("nowhere"));
});
