// How a program embeds the registry. No types are written, so the file runs as JavaScript too.
import { createRuntime, defineOperation, definePlugin } from "pinhole/core";

const greet = defineOperation({
  name: "demo/greet",
  type: "query",
  description: "Greets somebody.",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  outputSchema: { type: "string" },
  handler: ({ name }) => `Hello ${name.toUpperCase()}`,
});

const { dispatch } = createRuntime({ sources: [definePlugin({ name: "demo", operations: [greet] })] });
const output = await dispatch.invoke({ operation: "demo/greet", input: { name: "Ada" } });
if (output !== "Hello ADA") throw new Error(`The operation answered ${output}.`);
