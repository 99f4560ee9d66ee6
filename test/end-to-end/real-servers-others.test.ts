import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type HttpServer, listen } from "../../src/gateway/server/server.ts";
import { type GatewayClient, startGatewayClient } from "../support/gateway-client.ts";
import {
  context7,
  type Launch,
  memoryBehindBridge,
  reasonToSkip,
  startRealServer,
} from "../support/real-servers.ts";

const MEMORY = memoryBehindBridge("");
const CONTEXT7 = context7(new URL("http://127.0.0.1/api"));

describe("other published servers behind the gateway", { concurrency: true }, () => {
  test("server-memory behind mcp-proxy keeps what it is told", {
    skip: reasonToSkip(MEMORY),
  }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "pinhole-memory-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "memory.jsonl");
    const front = await putBehind(t, "memory", memoryBehindBridge(file));

    assert.ok((await front.search("create entities")).includes("memory/create_entities"));
    const ada = { name: "Ada", entityType: "person", observations: ["wrote the first program"] };
    const created = await front.call("memory/create_entities", { entities: [ada] });
    assert.deepEqual(created.output, { entities: [ada] });
    const graph = await front.call("memory/read_graph");
    assert.deepEqual(graph.output, { entities: [ada], relations: [] });
    const found = await front.call("memory/search_nodes", { query: "first program" });
    assert.deepEqual(found.output, graph.output);
    assert.match(await readFile(file, "utf8"), /"Ada"/);

    const unknown = await front.call("memory/add_observations", {
      observations: [{ entityName: "Bob", contents: ["is not there"] }],
    });
    assert.equal(unknown.error?.code, "MCP_TOOL_ERROR");
    assert.match(unknown.error.message, /Bob not found/);
  });

  test("context7 is listed, and says what it finds and what it does not", {
    skip: reasonToSkip(CONTEXT7),
  }, async (t) => {
    const library = { id: "/honojs/hono", title: "Hono", description: "A web framework", totalSnippets: 7 };
    const api = await serveJson({ "/api/v2/libs/search": { results: [library] } });
    t.after(() => api.close(0));
    const front = await putBehind(t, "docs", context7(new URL("/api", api.url)));

    assert.ok((await front.search("resolve a library id")).includes("docs/resolve-library-id"));
    const { type, description } = await front.schema("docs/resolve-library-id");
    assert.equal(type, "query");
    assert.match(String(description), /Context7-compatible library ID/);
    const hono = await front.call("docs/resolve-library-id", { query: "routing", libraryName: "Hono" });
    assert.match(String(hono.content[0]?.text), /library ID: \/honojs\/hono/);
    // It tells of its failures in ordinary results.
    const missing = await front.call("docs/query-docs", { query: "routing", libraryId: "/no/library" });
    assert.match(String(missing.content[0]?.text), /does not exist/);
    const unfit = await front.call("docs/query-docs", { query: "routing" });
    assert.equal(unfit.error?.code, "INVALID_INPUT");
  });
});

/** Starts a server and a gateway in front of it, for one test. */
async function putBehind(t: TestContext, name: string, launch: Launch): Promise<GatewayClient> {
  const server = await startRealServer(launch);
  t.after(() => server.stop());
  const front = await startGatewayClient({ [name]: server.url });
  t.after(() => front.close());
  return front;
}

/** An API that answers at some paths, and with 404 at all others. */
function serveJson(answers: Readonly<Record<string, object>>): Promise<HttpServer> {
  return listen({
    host: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      const answer = answers[new URL(url).pathname];
      return answer ? Response.json(answer) : new Response("", { status: 404 });
    },
  });
}
