import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Handler, type OperationSpec, Registry, type UnknownRecord } from "../../core/index.ts";
import { importList } from "./import-list.ts";

const RULES = {
  prefix: "west",
  handlerOf: ({ type }: OperationSpec): Handler =>
    type === "subscription"
      ? { kind: "stream", run: () => assert.fail("nothing is called") }
      : { kind: "once", run: () => assert.fail("nothing is called") },
  nodeId: "here",
  scopes: ["west"],
  external: ["open/*"],
  public: false,
};

const OPERATION = { name: "open/one", type: "query", description: "One.", inputSchema: { type: "object" } };

const only = (more: UnknownRecord) => {
  const { registrations, leftOut } = importList([{ ...OPERATION, ...more }], RULES);
  return { spec: registrations[0]?.spec, registration: registrations[0], leftOut: leftOut.map(String) };
};

test("an imported operation keeps its definition, and gets name, visibility and access from this node", () => {
  const said = {
    title: "One",
    type: "mutation",
    tags: ["a"],
    version: "2",
    deprecated: "use something else",
    aliases: ["open/uno"],
    outputSchema: { type: "string" },
    errors: [
      { code: "DRY", description: "Dry.", retryable: true, httpStatus: 503, schema: { type: "object" } },
    ],
    mutates: false,
    annotations: { hint: true },
    visibility: "internal",
    access: { scopes: [] },
    namespace: "elsewhere",
  };
  const { spec, registration } = only({ ...said, via: ["w", "v"] });
  assert.deepEqual(spec, {
    ...OPERATION,
    ...said,
    name: "west/open/one",
    namespace: "west",
    aliases: ["west/open/uno"],
    visibility: "external",
    access: { scopes: ["west"] },
  });
  assert.deepEqual(registration?.via, ["w", "v"]);
  assert.equal(registration?.provenance, "from-call");
  assert.equal(only({ name: "shut/one" }).spec?.visibility, "internal");
});

test("operations that lead back here, pass too many nodes, or are the node's own are skipped", () => {
  for (const more of [
    { via: ["w", "here"] },
    { via: Array.from({ length: 8 }, (_, node) => `n${node}`) },
    { name: "services/list" },
    { name: "sources/list" },
  ]) {
    assert.deepEqual(only(more), { spec: undefined, registration: undefined, leftOut: [] });
  }
  assert.ok(only({ via: Array.from({ length: 7 }, (_, node) => `n${node}`) }).spec);
});

test("unusable operations are left out with a reason, and the rest is imported", () => {
  const listed = [
    OPERATION,
    { ...OPERATION, description: "Another of that name." },
    { ...OPERATION, name: "open/two", aliases: ["open/one"] },
    { ...OPERATION, name: "no name" },
    { ...OPERATION, name: `open/${"x".repeat(193)}` },
    { ...OPERATION, name: "open/three", type: "magic" },
    { ...OPERATION, name: "open/four", inputSchema: 7 },
    { name: 7 },
    null,
  ];
  const { registrations, leftOut } = importList(listed, RULES);
  assert.deepEqual(
    registrations.map(({ spec }) => spec.name),
    ["west/open/one"],
  );
  assert.deepEqual(
    leftOut.map(({ code }) => code),
    ["NAME_COLLISION", "NAME_COLLISION", ...Array(6).fill("SCHEMA_PARSE")],
  );
});

test("`deprecated` names another operation as it is called here", () => {
  const listed = [
    { ...OPERATION, deprecated: "open/two" },
    { ...OPERATION, name: "open/two" },
  ];
  assert.equal(importList(listed, RULES).registrations[0]?.spec.deprecated, "west/open/two");
});

test("codes of the error table are not declared, and no wildcard declares all codes", () => {
  const errors = [
    { code: "NOT_FOUND" },
    { code: "*" },
    { code: "HTTP_*" },
    { code: 7 },
    null,
    { code: "A", httpStatus: 200 },
  ];
  assert.deepEqual(only({ errors }).spec?.errors, [
    { code: "HTTP_*", description: "HTTP_*" },
    { code: "A", description: "A" },
  ]);
});

test("whatever a node lists, imported operations can be registered, and nothing throws", () => {
  const value = fc.anything({ withNullPrototype: true, maxDepth: 3 });
  const nearly = fc.record(
    {
      name: fc.oneof(fc.constantFrom("open/a", "open/b", "a", "/x", ""), value),
      type: fc.oneof(fc.constantFrom("query", "subscription"), value),
      description: fc.oneof(fc.string(), value),
      aliases: fc.oneof(fc.array(fc.constantFrom("open/a", "open/c", "bad name")), value),
      errors: fc.oneof(fc.array(fc.record({ code: fc.constantFrom("A", "INTERNAL") })), value),
      inputSchema: fc.oneof(fc.constant({}), value),
      via: value,
      tags: value,
      mutates: value,
      annotations: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(nearly, value), { maxLength: 6 }), (listed) => {
      // As it comes off a wire.
      const parsed = JSON.parse(JSON.stringify(listed, (_, each) => (typeof each === "bigint" ? 1 : each)));
      const { registrations } = importList(parsed, RULES);
      new Registry().apply({ replace: [{ source: { name: "west" }, registrations }] });
    }),
    { numRuns: 500 },
  );
});
