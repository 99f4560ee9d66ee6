import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, type FromSchema } from "./define-operation.ts";
import { definePlugin } from "./registration.ts";

test("parts of a definition that are left out have safe defaults", () => {
  const { spec, handler, provenance } = defineOperation({
    name: "demo/reset",
    type: "mutation",
    description: "Resets the demo.",
    handler: () => "done",
  });
  assert.deepEqual(spec, {
    name: "demo/reset",
    namespace: "demo",
    type: "mutation",
    visibility: "external",
    description: "Resets the demo.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    outputSchema: true,
    errors: [],
    access: {},
    mutates: true,
  });
  assert.deepEqual([handler.kind, provenance], ["once", "local"]);
});

test("whether it mutates follows from the type unless it is declared", () => {
  const mutates = (type: "query" | "mutation", declared?: boolean) =>
    defineOperation({
      name: "a/b",
      type,
      description: "For a test.",
      handler: () => null,
      ...(declared !== undefined && { mutates: declared }),
    }).spec.mutates;
  assert.deepEqual([mutates("query"), mutates("mutation"), mutates("query", true)], [false, true, true]);
});

test("composition, authority and capabilities are not part of the spec", () => {
  const capabilities = () => {
    throw new Error("not asked for");
  };
  const registration = defineOperation({
    name: "a/b",
    type: "query",
    description: "For a test.",
    composes: ["c/*"],
    authority: { scopes: ["c"] },
    capabilities,
    handler: () => null,
  });
  assert.deepEqual(registration.scopedEnv, ["c/*"]);
  assert.deepEqual(registration.authority, { scopes: ["c"] });
  assert.equal(registration.capabilities, capabilities);
  assert.ok(!JSON.stringify(registration.spec).includes("c/*"));
});

test("the type of the input follows from the schema", () => {
  defineOperation({
    name: "a/b",
    type: "query",
    description: "For a test.",
    inputSchema: {
      type: "object",
      properties: {
        title: { type: "string" },
        state: { enum: ["open", "closed"] },
        labels: { type: "array", items: { type: "string" } },
        size: { type: "object", properties: { width: { type: "number" } }, required: ["width"] },
      },
      required: ["title"],
    },
    handler: ({ title, state, labels, size }) => {
      const checked: [string, "open" | "closed" | undefined, string[] | undefined, number | undefined] = [
        title,
        state,
        labels,
        size?.width,
      ];
      // @ts-expect-error: title is no number
      const wrong: number = title;
      return [checked, wrong];
    },
  });
  const unknownForm: FromSchema<{ readonly not: object }> = "whatever";
  const choice: FromSchema<{ readonly anyOf: readonly [{ type: "string" }, { type: "null" }] }>[] = [
    "a",
    null,
  ];
  assert.ok(unknownForm && choice);
});

test("the type of the answer follows from the output schema", () => {
  const outputSchema = {
    type: "object",
    properties: { ids: { type: "array", items: { type: "integer" } }, note: { type: "string" } },
    required: ["ids"],
  } as const;
  const ids: readonly number[] = [1];
  const base = { name: "a/b", type: "query", description: "For a test.", outputSchema } as const;
  defineOperation({ ...base, handler: () => ({ ids, note: undefined }) });
  defineOperation({ ...base, handler: async () => ({ ids: [1], note: "one" }) });
  // @ts-expect-error: ids are numbers
  defineOperation({ ...base, handler: () => ({ ids: ["1"] }) });
  // @ts-expect-error: ids are required
  const { spec } = defineOperation({ ...base, handler: async () => ({}) });
  assert.equal(spec.outputSchema, outputSchema);
});

test("a property with a default is there for the handler", () => {
  const inputSchema = { type: "object", properties: { limit: { type: "integer", default: 20 } } } as const;
  const { spec } = defineOperation({
    name: "a/b",
    type: "query",
    description: "For a test.",
    inputSchema,
    handler: ({ limit }) => limit + 1,
  });
  assert.equal(spec.inputSchema, inputSchema);
});

test("a plugin is a source of its operations", () => {
  const operation = defineOperation({
    name: "a/b",
    type: "query",
    description: "For a test.",
    handler: () => 1,
  });
  assert.deepEqual(
    definePlugin({ name: "a", title: "A", description: "All of a.", operations: [operation] }),
    {
      source: { name: "a", title: "A", description: "All of a." },
      registrations: [operation],
    },
  );
});
