/** The registry inside a program of one's own: no server, no configuration, no MCP package. */
import { CallError, createRuntime, defineOperation, definePlugin } from "pinhole/core";

const add = defineOperation({
  name: "math/add",
  type: "query",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
  outputSchema: { type: "number" },
  handler: ({ a, b }) => a + b,
});

const forget = defineOperation({
  name: "math/forget",
  type: "mutation",
  description: "Forgets everything. Only for those who may.",
  access: { scopes: ["admin"] },
  handler: () => "forgotten",
});

const plugin = definePlugin({ name: "math", description: "Arithmetic.", operations: [add, forget] });
const { dispatch } = createRuntime({ sources: [plugin] });

console.log("sum:", await dispatch.invoke({ operation: "math/add", input: { a: 2, b: 40 } }));

const found = await dispatch.invoke({
  operation: "services/search",
  input: { query: "sum of numbers", limit: 1 },
});
console.log("found:", (found as { operations: { name: string; signature: string }[] }).operations[0]);

for (const call of [{ operation: "math/add", input: { a: "two", b: 40 } }, { operation: "math/forget" }]) {
  try {
    await dispatch.invoke(call);
  } catch (error) {
    if (error instanceof CallError) console.log(`${error.code}: ${error.message}`);
  }
}

const admin = { id: "ada", authenticated: true, scopes: ["admin"] };
console.log("as ada:", await dispatch.invoke({ operation: "math/forget" }, { identity: admin }));
