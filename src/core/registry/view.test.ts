import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Caller, DEFAULT_POLICY } from "../access/index.ts";
import type { Registration, SpecDraft } from "../model/index.ts";
import { defineOperation } from "../model/index.ts";
import { Registry } from "./registry.ts";
import { createView, type View } from "./view.ts";

const ANYONE: Caller = { identity: { id: "anyone", authenticated: false, scopes: [] }, internal: false };
const MANY = 100_000;

function query(name: string, more: Partial<SpecDraft> = {}): Registration {
  return defineOperation({ name, type: "query", description: name, handler: () => name, ...more } as never);
}

function registryOf(registrations: readonly Registration[], deny: readonly string[] = []): Registry {
  const registry = new Registry();
  const policy = { ...DEFAULT_POLICY, deny };
  registry.apply({ replace: [{ source: { name: "one" }, registrations }], policy });
  return registry;
}

function viewOf(registry: Registry, caller: Partial<Caller> = {}): View {
  return createView(registry.snapshot(), { ...ANYONE, ...caller });
}

/** Names as they are in a large API, no two alike. */
function manyNames(namespace: string): string[] {
  const verbs = ["create", "list", "update", "remove"];
  const things = ["invoice", "customer", "shipment", "payment", "address"];
  return Array.from(
    { length: MANY },
    (_, n) => `${namespace}/${verbs[n % 4]}_${things[n % 5]}_${(n * 7_919) % MANY}`,
  );
}

/** The least of three, so that a machine that is busy with other things does not count. */
function processorMs(work: () => void): number {
  const tries = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...tries);
}

test("operations are suggested by the last word of their names, however it is spelt, and by no other", () => {
  const names = [
    "a/create_issue",
    "b/createIssue",
    "c/deep/Create-Issue_",
    "d/xcreateissue",
    "e/create_issue2",
  ];
  const aliased = query("f/open", { aliases: ["f/create_issue"] });
  const view = viewOf(registryOf([...names.map((name) => query(name)), aliased]));
  for (const word of ["somewhere/CREATE.ISSUE", "somewhere/create issue", "somewhere/b/createissue"])
    assert.deepEqual(view.suggest(word), names.slice(0, 3), word);
  assert.deepEqual(view.suggest("somewhere/issue"), []);
  assert.deepEqual(view.suggest(`somewhere/${"é".repeat(100)}`), []);
  assert.deepEqual(view.suggest(`somewhere/${"create_issue".repeat(100)}`), []);
});

describe("among a hundred thousand operations", () => {
  const shop = registryOf(
    [...manyNames("shop"), "shop/merge_pull_request", "shop/ping"].map((name) => query(name)),
  );

  test("the one whose name was mistyped is suggested", () => {
    const view = viewOf(shop);
    for (const slip of [
      "shop/merge_pul_request",
      "shop/mergePullRequset",
      "shop/mrege_pull_request",
      "shop/merge_request",
      "shop/merge_my_pull_request",
      "shop/merge_bull_requests",
      "shp/merge_pull_request",
      "elsewhere/merge_pull_request",
    ])
      assert.equal(view.suggest(slip)[0], "shop/merge_pull_request", slip);
    assert.equal(view.suggest("shop/pnig")[0], "shop/ping");
    assert.equal(view.suggest("shop/create_invoise_0")[0], "shop/create_invoice_0");
  });

  test("fifty names that nothing has are answered within fifty milliseconds, whatever the others are called", () => {
    const spread = manyNames("shop").map((name, n) => query(name.replace("shop", `shop${n % 2_500}`)));
    const alike = Array.from({ length: MANY }, (_, n) => query(`shop/${n}/list`));
    for (const view of [viewOf(shop), viewOf(registryOf(spread)), viewOf(registryOf(alike))]) {
      for (const namespace of ["shop", "shop9999", "elsewhere"]) {
        const unknown = Array.from({ length: 50 }, (_, n) => `${namespace}/update_invoyce_x${n}`);
        const spent = processorMs(() => {
          for (const name of unknown) view.suggest(name);
        });
        assert.ok(spent < 50, `${spent} ms for ${namespace}`);
      }
    }
  });

  test("those that are hidden change neither what is suggested nor how long that takes", () => {
    const names = manyNames("shop");
    const seen = names.slice(0, 60).map((name) => query(name));
    const hidden = names.slice(60);
    const internal = hidden.map((name) => query(name, { visibility: "internal" }));
    const forbidden = hidden.map((name) => query(name, { access: { scopes: ["secret"] } }));
    const others = hidden.map((name) => query(name));
    const isSeen = new Set(names.slice(0, 60));
    const reach = { key: "seen", includes: ({ name }: { readonly name: string }) => isSeen.has(name) };
    const alone = viewOf(registryOf(seen));
    for (const [by, view] of Object.entries({
      visibility: viewOf(registryOf([...internal, ...seen])),
      scope: viewOf(registryOf([...forbidden, ...seen])),
      deny: viewOf(registryOf([...others, ...seen], hidden)),
      reach: viewOf(registryOf([...others, ...seen]), { reach }),
    })) {
      const slips = [...names.slice(0, 40), ...hidden.slice(0, 40)].map((name) => name.replace("e", "x"));
      for (const slip of slips) assert.deepEqual(view.suggest(slip), alone.suggest(slip), `${by}: ${slip}`);
      const spent = processorMs(() => {
        for (const slip of slips) view.suggest(slip);
      });
      assert.ok(spent < 50, `${spent} ms where they are hidden by ${by}`);
    }
  });
});
