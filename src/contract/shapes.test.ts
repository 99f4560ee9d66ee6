import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchemaValidator } from "../formats/index.ts";
import { createRuntime } from "../runtime.ts";
import { CONTRACT, TOOL_NAMES } from "./shapes.ts";

const { dispatch, registry } = createRuntime();
const validator = createSchemaValidator();

test("the tools are these four, in this order", () => {
  assert.deepEqual(TOOL_NAMES, ["search", "schema", "call", "batch"]);
  assert.deepEqual(Object.keys(CONTRACT), [...TOOL_NAMES]);
});

test("the services take every argument that the contract promises", () => {
  for (const tool of ["search", "schema"] as const) {
    const { registration } = registry.snapshot().find(`services/${tool}`) ?? assert.fail(tool);
    const { properties } = registration.spec.inputSchema as unknown as { properties: object };
    assert.deepEqual(Object.keys(properties).sort(), Object.keys(CONTRACT[tool].input.properties).sort());
  }
});

test("answers of the services fit the contract", async () => {
  for (const [tool, input] of [
    ["search", {}],
    ["search", { query: "operations" }],
    ["search", { query: ["find", "read"], limit: 1 }],
    ["schema", { names: ["services/list", "no/such"] }],
  ] as const) {
    const output = await dispatch.invoke({ operation: `services/${tool}`, input });
    assert.deepEqual(validator.check(CONTRACT[tool].output, output), [], JSON.stringify(input));
  }
});
