import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_POLICY } from "../access/index.ts";
import type { JsonSchema } from "../model/index.ts";
import {
  completeSpec,
  defineOperation,
  ownSet,
  type Registration,
  RegistrationError,
  type SourceSet,
} from "../model/index.ts";
import { type Delta, Registry } from "./registry.ts";

function query(name: string, more: Partial<Parameters<typeof defineOperation>[0]> = {}): Registration {
  return defineOperation({ name, type: "query", description: name, handler: () => name, ...more } as never);
}

function set(name: string, registrations: readonly Registration[], connection?: string): SourceSet {
  return { source: { name, ...(connection !== undefined && { connection }) }, registrations };
}

function namesIn(registry: Registry, connection?: string): string[] {
  return registry
    .snapshot()
    .entries({ connection })
    .map(({ registration }) => registration.spec.name);
}

test("each change yields a new snapshot and leaves the old one as it was", () => {
  const registry = new Registry();
  const empty = registry.snapshot();
  registry.apply({ replace: [set("one", [query("a/x"), query("b/y")])] });
  const first = registry.snapshot();
  registry.apply({ replace: [set("one", [query("a/z")])] });

  assert.deepEqual(empty.entries(), []);
  assert.ok(first.find("a/x"));
  assert.equal(first.find("a/z"), undefined);
  assert.deepEqual(namesIn(registry), ["a/z"]);
  assert.deepEqual([empty.revision, first.revision, registry.snapshot().revision], [0, 1, 2]);
  assert.deepEqual([...registry.snapshot().namespaces()], ["a"], "an empty namespace is gone");
});

test("the delta says exactly what was added, removed and changed", () => {
  const registry = new Registry();
  const kept = query("a/kept");
  registry.apply({ replace: [set("one", [kept, query("a/same"), query("a/changed"), query("a/removed")])] });
  const delta = registry.apply({
    replace: [
      set("one", [kept, query("a/same"), query("a/changed", { description: "other" }), query("a/added")]),
    ],
  });
  const [change] = delta.sources;
  assert.deepEqual(
    { added: change?.added, removed: change?.removed, changed: change?.changed },
    { added: ["a/added"], removed: ["a/removed"], changed: ["a/changed"] },
  );
  assert.equal(delta.policyChanged, false);
  assert.deepEqual(registry.apply({ remove: ["one", "unknown"] }).sources[0]?.removed.length, 4);
  assert.deepEqual(namesIn(registry), []);
});

test("schema parts that many operations share are compared once", () => {
  let reads = 0;
  const offer = () => {
    const shared = {
      get type() {
        reads++;
        return "string";
      },
    };
    const inputSchema = { type: "object", properties: { id: shared } };
    return set(
      "one",
      Array.from({ length: 100 }, (_, number) => query(`a/x${number}`, { inputSchema: { ...inputSchema } })),
    );
  };
  const registry = new Registry();
  registry.apply({ replace: [offer()] });
  reads = 0;
  assert.deepEqual(registry.apply({ replace: [offer()] }).sources[0]?.changed, []);
  assert.ok(reads < 10, `the shared part was read ${reads} times`);
});

test("listeners hear of each change until they stop listening", () => {
  const registry = new Registry();
  const heard: Delta[] = [];
  const stop = registry.onChange((delta, snapshot) => {
    assert.equal(snapshot, registry.snapshot());
    heard.push(delta);
  });
  registry.apply({ replace: [set("one", [query("a/x")])] });
  registry.apply({ policy: { ...DEFAULT_POLICY, deny: ["a/*"] } });
  stop();
  registry.apply({ remove: ["one"] });
  assert.deepEqual(
    heard.map(({ policyChanged }) => policyChanged),
    [false, true],
  );
});

test("a name that two sources offer is refused, both are named, and nothing changes", () => {
  const registry = new Registry();
  registry.apply({ replace: [set("one", [query("a/x")])] });
  const before = registry.snapshot();
  for (const rival of [query("a/x"), query("a/other", { aliases: ["a/x"] })]) {
    assert.throws(
      () => registry.apply({ replace: [set("fine", [query("b/y")]), set("two", [rival])] }),
      /"a\/x" is offered by the sources "one" and "two"\. Rename one of them/,
    );
  }
  assert.throws(
    () => registry.apply({ replace: [set("two", [query("c/x"), query("c/x")])] }),
    /source "two" twice/,
  );
  assert.equal(registry.snapshot(), before);
});

test("a name may move from one source to another within one change", () => {
  const registry = new Registry();
  registry.apply({ replace: [set("one", [query("a/x")])] });
  registry.apply({ replace: [set("two", [query("a/x")]), set("one", [])] });
  assert.equal(registry.snapshot().find("a/x")?.source.name, "two");
});

test("an alias finds the operation but is not listed", () => {
  const registry = new Registry();
  registry.apply({ replace: [set("one", [query("a/new", { aliases: ["old/name"] })])] });
  assert.equal(registry.snapshot().find("old/name")?.registration.spec.name, "a/new");
  assert.deepEqual(namesIn(registry), ["a/new"]);
  registry.apply({ remove: ["one"] });
  assert.equal(registry.snapshot().find("old/name"), undefined);
});

test("operations of a connection are seen by that connection only", () => {
  const registry = new Registry();
  registry.apply({
    replace: [
      set("shared", [query("a/x")]),
      set("tab-1", [query("page/click")], "tab-1"),
      set("tab-2", [query("page/click")], "tab-2"),
    ],
  });
  assert.equal(registry.snapshot().find("page/click"), undefined);
  assert.equal(registry.snapshot().find("page/click", { connection: "tab-1" })?.source.name, "tab-1");
  assert.equal(registry.snapshot().find("page/click", { connection: "tab-2" })?.source.name, "tab-2");
  assert.deepEqual(namesIn(registry), ["a/x"]);
  assert.deepEqual(namesIn(registry, "tab-1"), ["a/x", "page/click"]);
  assert.deepEqual(namesIn(registry, "unknown"), ["a/x"]);
  assert.throws(
    () => registry.apply({ replace: [set("tab-3", [query("a/x")], "tab-3")] }),
    /"shared" and "tab-3"/,
  );

  registry.apply({ remove: ["tab-1"] });
  assert.deepEqual(namesIn(registry, "tab-1"), ["a/x"]);
});

test("a shared operation comes before a connection's own of the same name", () => {
  const registry = new Registry();
  registry.apply({ replace: [set("tab", [query("page/click"), query("page/own")], "tab")] });
  registry.apply({ replace: [set("shared", [query("page/click")])] });
  assert.equal(registry.snapshot().find("page/click", { connection: "tab" })?.source.name, "shared");
  assert.deepEqual(namesIn(registry, "tab"), ["page/click", "page/own"]);
});

test("registered specs are frozen to the bottom, shared parts included", () => {
  const registry = new Registry();
  const inputSchema = { type: "object", properties: { deep: { enum: [{ a: 1 }] } } };
  registry.apply({ replace: [set("one", [query("a/x", { inputSchema }), query("a/y", { inputSchema })])] });
  const spec = registry.snapshot().find("a/x")?.registration.spec;
  assert.ok(Object.isFrozen(spec) && Object.isFrozen(spec?.inputSchema) && Object.isFrozen(spec?.errors));
  assert.throws(() => {
    inputSchema.properties.deep.enum.push({ a: 2 });
  }, TypeError);
});

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = {};
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return schema;
}

const REFUSED: readonly (readonly [why: string, registration: Registration, message: RegExp])[] = [
  ["without a namespace", query("alone"), /"alone" is not of the form namespace\/name/],
  ["with a bad alias", query("a/x", { aliases: ["b"] }), /has the alias "b", which is not of the form/],
  [
    "that streams what is no subscription",
    { ...query("a/x"), handler: { kind: "stream", run: async function* () {} } },
    /is a query with a "stream" handler; a query needs a "once" handler/,
  ],
  [
    "that answers a subscription once",
    {
      ...query("a/x"),
      spec: completeSpec({ name: "a/x", type: "subscription", description: "For a test." }),
    },
    /a subscription needs a "stream" handler/,
  ],
  [
    "that declares an error of the gateway",
    query("a/x", { errors: [{ code: "NOT_FOUND", description: "For a test." }] }),
    /declares the error NOT_FOUND, which the gateway owns/,
  ],
  [
    "that is imported and wants to compose",
    { ...query("a/x"), provenance: "from-mcp", scopedEnv: ["*"] },
    /comes from-mcp and may not compose others/,
  ],
  ["in a reserved namespace", query("services/wipe"), /lies in "services", which belongs to the gateway/],
  [
    "with an alias in a reserved namespace",
    query("a/x", { aliases: ["store/x"] }),
    /"store\/x" of the source "one" lies in "store"/,
  ],
  [
    "whose schema is none",
    query("a/x", { inputSchema: "string" as never }),
    /has no JSON Schema as inputSchema/,
  ],
  ["nested without end", query("a/x", { inputSchema: nested(100_000) }), /nested deeper than 500 levels/],
  [
    "whose namespace is not its first segment",
    { ...query("a/x"), spec: { ...query("a/x").spec, namespace: "b" } },
    /says namespace "b"/,
  ],
];

for (const [why, registration, message] of REFUSED) {
  test(`the registry refuses an operation ${why}`, () => {
    const registry = new Registry();
    assert.throws(() => registry.apply({ replace: [set("one", [registration])] }), message);
    assert.equal(registry.snapshot().revision, 0);
  });
}

test("only sets that the gateway marks as its own may use a reserved namespace", () => {
  const registry = new Registry();
  registry.apply({ replace: [ownSet(set("services", [query("services/search")]))] });
  assert.ok(registry.snapshot().find("services/search"));
  assert.throws(
    () => registry.apply({ replace: [set("services", [query("services/search")])] }),
    RegistrationError,
  );
});
