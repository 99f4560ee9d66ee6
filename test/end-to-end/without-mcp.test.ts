import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { connectPeer } from "pinhole/client";
import { childEnv } from "../support/child-env.ts";
import { type RunningCommand, startCommand } from "../support/command.ts";
import { ROOT } from "../support/source-files.ts";

/** Makes the packages of MCP as absent as `npm install --omit=optional` does. */
const WITHOUT_MCP = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith("@modelcontextprotocol/")) return next(specifier, context);
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    },
  });
`)}`;

const MAIN = join(ROOT, "src/cli/main.ts");
const SERVER_ADVICE =
  /needs the package @modelcontextprotocol\/server.*npm install @modelcontextprotocol\/server/;
const CLIENT_ADVICE =
  /needs the package @modelcontextprotocol\/client.*npm install @modelcontextprotocol\/client/;

const CONFIG = `
server: { port: 0 }
sources:
  clock: { plugin: ./clock.mjs }
  shop: { openapi: ./shop.json, external: "*" }
  tools: { mcp: http://127.0.0.1:9/mcp }
`;

const CLOCK = `import { defineOperation, definePlugin } from ${JSON.stringify(pathToFileURL(join(ROOT, "src/core.ts")).href)};
const now = defineOperation({ name: "clock/now", type: "query", description: "The time.", handler: () => 12 });
export default definePlugin({ name: "clock", operations: [now] });`;

const SHOP = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "http://127.0.0.1:9" }],
  paths: {
    "/books": {
      get: { operationId: "listBooks", summary: "Books", responses: { 200: { description: "ok" } } },
    },
  },
};

describe("a node without the packages of MCP", () => {
  let folder = "";
  let node: RunningCommand;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "pinhole-without-mcp-"));
    await writeFile(join(folder, "pinhole.yaml"), CONFIG);
    await writeFile(join(folder, "clock.mjs"), CLOCK);
    await writeFile(join(folder, "shop.json"), JSON.stringify(SHOP));
    node = await startCommand(process.execPath, ["--import", WITHOUT_MCP, MAIN, "serve"], folder);
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("without MCP, operations of plugins and documents are called over HTTP", async () => {
    const [called, answer] = await post("/call", { operation: "clock/now" });
    assert.deepEqual([called, (answer as { output: unknown }).output], [200, 12]);
    const [status, found] = await post("/schema", { names: ["shop/listBooks"] });
    assert.equal(status, 200);
    assert.match(JSON.stringify(found), /Books/);
  });

  test("without MCP, the call protocol is served", async () => {
    const called = await pinhole(["call", "clock/now", "--url", node.url.origin]);
    assert.equal(called.stdout.trim(), "12");
    const peer = await connectPeer(node.url.origin.replace("http", "ws"));
    assert.equal(await peer.call("clock/now"), 12);
    peer.close();
  });

  test("without MCP, a request to /mcp is answered with the package to add", async () => {
    const [status, body] = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    assert.equal(status, 501);
    assert.match((body as { error: { message: string } }).error.message, SERVER_ADVICE);
    assert.match(node.said(), SERVER_ADVICE);
  });

  test("without MCP, an MCP source is unhealthy with the package to add and the others are healthy", async () => {
    const [, body] = await post("/call", { operation: "sources/list" });
    const { sources } = (body as { output: { sources: { name: string; state: string; reason?: string }[] } })
      .output;
    assert.deepEqual(
      sources.map(({ name, state }) => [name, state]),
      [
        ["clock", "healthy"],
        ["shop", "healthy"],
        ["tools", "unhealthy"],
      ],
    );
    assert.match(sources[2]?.reason ?? "", CLIENT_ADVICE);
  });

  test("without MCP, surface measures the tools and doctor names the packages to add", async () => {
    assert.match((await pinhole(["surface"])).stdout, /Behind it: 2 operations/);
    const doctor = await pinhole(["doctor"]).catch((error: { stdout: string }) => error);
    assert.match(doctor.stdout, CLIENT_ADVICE);
    assert.match(doctor.stdout, SERVER_ADVICE);
    assert.match(doctor.stdout, /clock/);
  });

  test("without MCP, login says which package it needs", async () => {
    await assert.rejects(pinhole(["login", "tools"]), ({ stderr }: { stderr: string }) => {
      assert.match(stderr, CLIENT_ADVICE);
      assert.doesNotMatch(stderr, / at /);
      return true;
    });
  });

  async function post(path: string, body: object): Promise<readonly [number, unknown]> {
    const response = await fetch(new URL(path, node.url.origin), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()];
  }

  function pinhole(line: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const args = ["--import", WITHOUT_MCP, MAIN, ...line];
    return promisify(execFile)(process.execPath, args, { cwd: folder, env: childEnv() });
  }
});
