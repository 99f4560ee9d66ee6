import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scaled } from "../../../test/support/scale.ts";
import { type Caller, DEFAULT_POLICY } from "../access/index.ts";
import type { Registration, SpecDraft } from "../model/index.ts";
import { defineOperation } from "../model/index.ts";
import { Registry } from "./registry.ts";
import { createView, type View } from "./view.ts";

const ANYONE: Caller = { identity: { id: "anyone", authenticated: false, scopes: [] }, internal: false };
/** How long finding takes among 100,000 is measured by `npm run bench -- core`; here names are counted that are looked at. */
const MANY = scaled(5_000, 100_000);

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

let namesRead = 0;

/** An operation that tells whenever its name is read. */
function watched(name: string, more: Partial<SpecDraft> = {}): Registration {
  const registration = query(name, more);
  const spec = Object.defineProperty({ ...registration.spec }, "name", {
    enumerable: true,
    get: () => {
      namesRead++;
      return name;
    },
  });
  return { ...registration, spec };
}

/** How many names are read to find suggestions for some, once everything is made that is made once. */
function readsOf(view: View, names: readonly string[]): number {
  view.suggest("warm/up");
  const before = namesRead;
  for (const name of names) view.suggest(name);
  return namesRead - before;
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

describe("among very many operations", () => {
  const shop = registryOf(
    [...manyNames("shop"), "shop/merge_pull_request", "shop/ping"].map((name) => watched(name)),
  );

  test("a mistyped name is suggested among very many operations", () => {
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

  test("suggestions for an unknown name look at three hundred names at most", () => {
    const spread = manyNames("shop").map((name, n) => watched(name.replace("shop", `shop${n % 250}`)));
    const alike = Array.from({ length: MANY }, (_, n) => watched(`shop/${n}/list`));
    for (const view of [viewOf(shop), viewOf(registryOf(spread)), viewOf(registryOf(alike))]) {
      for (const namespace of ["shop", "shop9999", "elsewhere"]) {
        const unknown = Array.from({ length: 50 }, (_, n) => `${namespace}/update_invoyce_x${n}`);
        const reads = readsOf(view, unknown);
        assert.ok(reads <= 300 * unknown.length, `${reads} reads for ${namespace}`);
      }
    }
  });

  test("hidden operations change neither the suggestions nor how many names are looked at", () => {
    const names = manyNames("shop");
    const seen = names.slice(0, 60).map((name) => watched(name));
    const hidden = names.slice(60);
    const internal = hidden.map((name) => watched(name, { visibility: "internal" }));
    const forbidden = hidden.map((name) => watched(name, { access: { scopes: ["secret"] } }));
    const others = hidden.map((name) => watched(name));
    const isSeen = new Set(names.slice(0, 60));
    const reach = { key: "seen", includes: ({ name }: { readonly name: string }) => isSeen.has(name) };
    const alone = viewOf(registryOf(seen));
    const slips = [...names.slice(0, 40), ...hidden.slice(0, 40)].map((name) => name.replace("e", "x"));
    const reads = readsOf(alone, slips);
    assert.ok(reads > 0);
    for (const [by, view] of Object.entries({
      visibility: viewOf(registryOf([...internal, ...seen])),
      scope: viewOf(registryOf([...forbidden, ...seen])),
      deny: viewOf(registryOf([...others, ...seen], hidden)),
      reach: viewOf(registryOf([...others, ...seen]), { reach }),
    })) {
      for (const slip of slips) assert.deepEqual(view.suggest(slip), alone.suggest(slip), `${by}: ${slip}`);
      assert.equal(readsOf(view, slips), reads, `where they are hidden by ${by}`);
    }
  });
});
