/**
 * The client that the official suite puts to the test. It gets the address of a server as its last argument,
 * and by the environment what to do there.
 */
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";

// Most scenarios are about OAuth, which the gateway does not speak yet: none of them starts the whole client.
if (scenario.startsWith("auth/")) process.exit(1);

const { workThrough } = await import("./client-work.ts");
const url = new URL(process.argv.at(-1) ?? "");
const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
await workThrough({ url, scenario, ...(toolCalls && { toolCalls }) });

export {};
