import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type RunningCommand, startCommand } from "../support/command.ts";
import { ROOT } from "../support/source-files.ts";

const CALLS = 40;
const CORE = new URL("../../src/core.ts", import.meta.url).href;

const PLUGIN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
const ask = defineOperation({
  name: "who/ask", type: "mutation", description: "Asks for a name and greets.",
  handler: async (_input, { requestInput }) => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const { content } = await requestInput({ key: "name", message: "Who are you?", schema });
    return { greeting: "Hello, " + content.name, process: process.pid };
  },
});
const pid = defineOperation({
  name: "who/pid", type: "query", description: "Tells the process.", handler: () => process.pid,
});
export default definePlugin({ name: "who", operations: [ask, pid] });`;

describe("two gateway processes behind a round-robin proxy", () => {
  let folder = "";
  let replicas: readonly RunningCommand[] = [];
  let proxy: Awaited<ReturnType<typeof startProxy>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "pinhole-replicas-"));
    await writeFile(join(folder, "plugin.ts"), PLUGIN);
    await writeFile(join(folder, "key"), "a key that both replicas share\n");
    await writeFile(
      join(folder, "pinhole.yaml"),
      "server: { stateKey: { file: ./key } }\nsources: { who: { plugin: ./plugin.ts } }\nlog: { level: error }\n",
    );
    const args = [join(ROOT, "src/cli/main.ts"), "serve", "--port", "0"];
    replicas = await Promise.all([1, 2].map(() => startCommand(process.execPath, args, folder)));
    proxy = await startProxy(replicas.map(({ url }) => url));
  });

  after(async () => {
    await proxy.close();
    for (const replica of replicas) assert.equal(await replica.stop(), 0);
    await rm(folder, { recursive: true, force: true });
  });

  for (const mode of ["auto", "legacy"] as const) {
    test(`two gateway processes behind a round-robin proxy serve a client of SDK 2 in ${mode} mode with no failed call`, async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(proxy.url));
      const processes = await Promise.all(
        Array.from({ length: CALLS }, async () => {
          const result = await client.callTool({ name: "call", arguments: { operation: "who/pid" } });
          return (result.structuredContent as { output: number }).output;
        }),
      );
      assert.equal(processes.length, CALLS);
      assert.equal(new Set(processes).size, 2, "both answered");
      await client.close();
    });
  }

  test("two gateway processes behind a round-robin proxy serve a client of SDK 1 with no failed call", async () => {
    const client = new OldClient({ name: "test", version: "1" });
    await client.connect(new OldTransport(proxy.url) as Parameters<typeof client.connect>[0]);
    const results = await Promise.all(
      Array.from({ length: CALLS }, () =>
        client.callTool({ name: "search", arguments: { query: "process" } }),
      ),
    );
    assert.ok(results.every(({ isError }) => !isError));
    await client.close();
  });

  test("two gateway processes behind a round-robin proxy finish a call that asks its client in between, whichever of them gets the answer", async () => {
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { name: "Ada" },
    }));
    await client.connect(new StreamableHTTPClientTransport(proxy.url));
    for (let call = 0; call < 4; call++) {
      const result = await client.callTool({ name: "call", arguments: { operation: "who/ask" } });
      const { output } = result.structuredContent as { output: { greeting: string } };
      assert.equal(output.greeting, "Hello, Ada");
    }
    await client.close();
  });
});

/** Sends each request to the next replica, as a load balancer without affinity does. */
async function startProxy(targets: readonly URL[]) {
  let next = 0;
  const server = createServer((incoming, answer) => {
    const target = targets[next++ % targets.length] ?? assert.fail("there is no replica");
    const outgoing = forward(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    outgoing.on("error", () => answer.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
