/** One runtime in a server of `node:http`, and a second one that imports it in three ways and is mounted in hono. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fromCall, fromMcp, fromOpenApi } from "pinhole/adapters";
import { createLimits, createRuntime, defineOperation, definePlugin } from "pinhole/core";
import { withHono } from "./with-hono.ts";
import { withNode } from "./with-node.ts";

const add = defineOperation({
  name: "math/add",
  type: "query",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  outputSchema: { type: "number" },
  handler: ({ a, b }) => a + b,
});

const runtime = createRuntime({
  sources: [definePlugin({ name: "math", operations: [add] })],
  policy: { anonymous: false, identitiesConfigured: true },
  resolveIdentity: async (token) =>
    token === "hub-secret" ? { id: "hub", authenticated: true, scopes: [] } : undefined,
  limits: createLimits({ concurrent: 20, callsPerSecond: 100 }),
  audit({ principal, operation, outcome }) {
    if (operation.startsWith("math/")) console.log(`audit: ${principal} ${operation} ${outcome}`);
  },
});
const server = withNode(runtime).listen(0, "127.0.0.1");
await once(server, "listening");
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

const common = {
  token: { env: "HUB_TOKEN" },
  env: { HUB_TOKEN: "hub-secret" },
  external: "*",
  allowPrivate: true,
} as const;
const hub = createRuntime();
const sources = [
  await fromMcp({ ...common, name: "mcp", url: `http://${host}/mcp` }),
  await fromOpenApi({ ...common, name: "http", document: `http://${host}/openapi.json`, documentAuth: true }),
  await fromCall({ ...common, name: "peer", url: `ws://${host}/call-protocol` }),
];
for (const source of sources) {
  source.attach(hub.registry);
  console.log(`${source.name}: ${source.health().state}`);
}

const app = withHono(hub);
const sum = { operation: "math/add", input: { a: 2, b: 40 } };
for (const call of [
  { operation: "mcp/call", input: sum },
  { operation: "http/call", input: { body: sum } },
  { operation: "peer/math/add", input: sum.input },
]) {
  const response = await app.request("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(call),
  });
  const { output } = (await response.json()) as { readonly output: unknown };
  console.log(call.operation, JSON.stringify(output));
}

for (const source of sources) await source.close();
console.log(`left: ${hub.registry.snapshot().sources.size} source`);
server.closeAllConnections();
server.close();
