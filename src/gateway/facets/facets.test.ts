import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Config } from "../../config/index.ts";
import { completeSpec, type OperationType, type UnknownRecord } from "../../core/index.ts";
import { readFacets } from "./facets.ts";

const open = (config: Config, tools?: string, written: UnknownRecord = { mcp: config.mcp }) =>
  readFacets({ config, written }, tools);

function configOf(facets: object, mcp: object = {}): Config {
  return { sources: {}, limits: {}, facets, mcp: { reach: "all", ...mcp } } as unknown as Config;
}

function spec(name: string, type: OperationType = "mutation") {
  return completeSpec({ name, type, description: "For a test." });
}

const REVIEWS = { reviews: ["github/*review*"] };

describe("which facets are exposed", () => {
  test("the facet core is exposed, unless the config says otherwise, and PINHOLE_TOOLS overrides both", () => {
    const tierOf = (mcp: object, tools?: string) => {
      const { exposed, tier } = open(configOf(REVIEWS, mcp), tools);
      return [exposed, tier];
    };
    assert.deepEqual(tierOf({}), [["core"], "the default"]);
    assert.deepEqual(tierOf({ expose: ["reviews"] }), [["reviews"], "mcp.expose"]);
    assert.deepEqual(tierOf({ expose: ["reviews"] }, "core, query,core"), [
      ["core", "query"],
      "PINHOLE_TOOLS",
    ]);
    assert.deepEqual(tierOf({ expose: ["reviews"] }, " "), [["reviews"], "mcp.expose"]);
    assert.deepEqual(tierOf({ only: "reviews" }, "core"), [["reviews"], "mcp.only"]);
    assert.equal(open(configOf(REVIEWS, { only: "reviews" }), undefined, {}).tier, "--facet");
  });

  test("an unknown facet is refused, with its place and the nearest name", () => {
    assert.throws(
      () => open(configOf(REVIEWS), "core,revews"),
      /PINHOLE_TOOLS names the facet "revews", which does not exist\. Did you mean reviews\?/,
    );
    assert.throws(
      () => open(configOf({}, { expose: ["x1"] })),
      /mcp\.expose names the facet "x1", which does not exist\. There are core, query\./,
    );
  });
});

describe("an endpoint", () => {
  test("an endpoint reaches everything unless it is confined", () => {
    assert.equal(open(configOf(REVIEWS, { expose: ["core", "reviews"] })).main.reach, undefined);
    const { main } = open(configOf(REVIEWS, { expose: ["reviews"], reach: "exposed" }));
    assert.equal(main.core, false);
    const reaches = ["github/list_reviews", "github/delete", "services/search"].map((name) =>
      main.reach?.includes(spec(name)),
    );
    assert.deepEqual(reaches, [true, false, true]);
  });

  test("a confined endpoint reaches what its facets hold, also where the four tools are listed", () => {
    const config = configOf(REVIEWS, { expose: ["core", "reviews"], reach: "exposed" });
    const { core, reach } = open(config).main;
    assert.equal(core, true);
    assert.deepEqual(
      ["github/list_reviews", "github/delete", "services/search"].map((name) => reach?.includes(spec(name))),
      [true, false, true],
    );
  });

  test("an endpoint that would reach nothing is refused", () => {
    assert.throws(
      () => open(configOf(REVIEWS, { reach: "exposed" })),
      /leaves nothing to find or call.*Expose one more/,
    );
    assert.equal(open(configOf(REVIEWS, { only: "core" })).main.reach, undefined);
  });

  test("facets of the same name that hold different operations have different keys", () => {
    const keyOf = (facets: object) => open(configOf(facets)).named.get("a")?.reach?.key;
    assert.notEqual(keyOf({ a: ["x/*"] }), keyOf({ a: ["y/*"] }));
  });

  test("an endpoint lists the operations of its facets, and the query tool", () => {
    const config = configOf(REVIEWS, { expose: ["core", "reviews", "query"] });
    const { core, query, holds } = open(config).main;
    assert.deepEqual([core, query, holds?.("github/add_review")], [true, true, true]);
    assert.equal(holds?.("github/delete"), false);
  });

  test("the endpoint of one facet has the four tools besides its own, confined to it", () => {
    const { named } = open(configOf(REVIEWS));
    const facet = named.get("reviews");
    assert.deepEqual([facet?.core, facet?.reach?.includes(spec("github/x"))], [true, false]);
    assert.equal(named.get("nope"), undefined);
    assert.equal(named.get("core")?.reach, undefined);
    const query = named.get("query");
    assert.deepEqual(
      [query?.reach?.includes(spec("a/b", "query")), query?.reach?.includes(spec("a/b"))],
      [true, false],
    );
  });

  test("a confined endpoint reaches search and references, and other reserved namespaces where a facet names them", () => {
    const named = { ...REVIEWS, runs: ["routine/*"] };
    const of = (facet: string) => open(configOf(named)).named.get(facet)?.reach;
    for (const [name, reviews, runs] of [
      ["services/search", true, true],
      ["refs/read", true, true],
      ["routine/run", false, true],
      ["sources/list", false, false],
    ] as const) {
      assert.deepEqual(
        [of("reviews")?.includes(spec(name)), of("runs")?.includes(spec(name))],
        [reviews, runs],
        name,
      );
      assert.equal(of("query")?.includes(spec(name, "query")), reviews, name);
    }
  });

  test("a facet that is served alone has the only endpoint", () => {
    const { main, named, alone } = open(configOf(REVIEWS, { only: "reviews" }));
    assert.equal(alone, true);
    assert.equal(named.get("reviews"), undefined);
    assert.deepEqual([main.core, main.reach?.includes(spec("pets/list"))], [true, false]);
  });
});

describe("mutations of a facet", () => {
  const facets = {
    reviews: { operations: ["github/*review*"], mutations: "dry" },
    github: ["github/*"],
    frozen: { operations: ["github/delete*"], mutations: "deny" },
  };

  test("mutations follow the strictest facet of the endpoint that holds the operation", () => {
    const config = configOf(facets, { expose: ["core", "reviews", "github"] });
    const { reach } = open(config).main;
    assert.equal(reach?.mutations?.(spec("github/add_review")), "dry");
    assert.equal(reach?.mutations?.(spec("github/merge")), "allow");
    assert.equal(reach?.mutations?.(spec("pets/add")), "allow");
  });

  test("denied mutations of a facet are out of reach, while its queries are not", () => {
    const { reach } = open(configOf(facets, { expose: ["core", "frozen"] })).main;
    assert.equal(reach?.includes(spec("github/delete_repo")), false);
    assert.equal(reach?.includes(spec("github/delete_preview", "query")), true);
  });
});
