/** What the client does when it is its turn. */
import { createOutbound } from "../../src/outbound/index.ts";
import { createOperator } from "./client-login.ts";
import { workThrough } from "./client-work.ts";

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const url = new URL(process.argv.at(-1) ?? "");
const { toolCalls, ...context } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const outbound = createOutbound({ allowPrivate: true });
const task = { url, scenario, outbound, ...(toolCalls && { toolCalls }) };
const { oauth, follow } = scenario.startsWith("auth/")
  ? createOperator({ scenario, url, outbound, context })
  : { oauth: undefined, follow: async () => false };

try {
  for (let isDone = false; !isDone; ) {
    try {
      await workThrough({ ...task, oauth });
      isDone = true;
    } catch (error) {
      if (!(await follow(error))) throw error;
    }
  }
} finally {
  await outbound.close();
}
