import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { keysOf } from "../../../../test/support/source-keys.ts";
import { loadConfig } from "../../../adapters/index.ts";
import { startGateway } from "../../../gateway/index.ts";
import { newToken } from "../../../identity/index.ts";
import { createLog } from "../../../observe/index.ts";

async function startNode(t: TestContext, config = "") {
  const { path } = createCliFolder(t, config === "" ? {} : { files: { "pinhole.yaml": config } });
  const gateway = await startGateway({ directory: path, flags: { port: "0" }, log: createLog("error") });
  t.after(() => gateway.close());
  return { url: gateway.url, peer: `${gateway.url.replace(/^http/, "ws")}/call-protocol` };
}

test("add recognises another node by any of its addresses, and shows its operations", async (t) => {
  const { url, peer } = await startNode(t);
  for (const place of [peer, url, `${url}/mcp`]) {
    const folder = createCliFolder(t);
    const { code, out } = await folder.run("add", "west", place);
    assert.equal(code, 0);
    assert.match(
      out,
      /^Another node \(a peer\)\n\d+ operations \(.*\)\.\nAs tools of their own .* about [\d,]+ tokens/,
    );
    assert.match(out, /\n {2}west\/shop\/findBooks +query\n/);
    const { config } = await loadConfig({ directory: folder.path });
    assert.equal(keysOf(config).west?.peer, peer);
  }
});

test("add asks a node that wants a token again with it", async (t) => {
  const { token, tokenHash } = newToken();
  const { url, peer } = await startNode(
    t,
    `identities: [{ id: east, tokenHash: "${tokenHash}" }]\naccess: { anonymous: false }\n`,
  );
  for (const place of [url, peer]) {
    const folder = createCliFolder(t, { env: { WEST_TOKEN: token } });
    const { out } = await folder.run("add", "west", place, "--yes");
    assert.match(
      out,
      /It wants a credential before it says what it offers\.[\s\S]*Another node \(a peer\)\n\d+ operations/,
    );
    const { config } = await loadConfig({ directory: folder.path });
    assert.deepEqual([keysOf(config).west?.peer, keysOf(config).west?.token], [peer, { env: "WEST_TOKEN" }]);
  }
});

test("add accepts a node that does not run yet, and says why its operations are unknown", async (t) => {
  const { out, code } = await createCliFolder(t).run("add", "west", "ws://127.0.0.1:9/call-protocol");
  assert.equal(code, 0);
  assert.match(
    out,
    /^Another node \(a peer\)\. What it offers is seen once both nodes run\. ws:.* cannot be reached/,
  );
});

test("add does not start a program; it explains the bridge, and leaves possible secrets out", async (t) => {
  const folder = createCliFolder(t);
  for (const line of [
    ["--", "npx", "-y", "server-memory", "--key=S3CRET"],
    ["npx -y server-memory --key=S3CRET"],
  ]) {
    const { code, errors } = await folder.run("add", "memory", ...line);
    assert.equal(code, 2);
    assert.match(
      errors,
      /^memory is a program .*\n {2}npx mcp-proxy .* -- npx -y server-memory --key=…\n {2}pinhole add memory http:/,
    );
  }
});

test("add refuses a second place, and does not take it for a command", async (t) => {
  const folder = createCliFolder(t);
  for (const places of [
    ["./petstore.yaml", "./more.yaml"],
    ["https://mcp.example.com/mcp", "https://other.example.com/mcp"],
  ]) {
    const { code, errors } = await folder.run("add", "pets", ...places);
    assert.equal(code, 2);
    assert.equal(
      errors,
      `A source is at one place, and ${places[1]} is another. Put quotes around a path with spaces.`,
    );
  }
});

test("add recognises a server of the old SSE transport", async (t) => {
  const server = createServer((request, response) => {
    if (request.method !== "GET") return response.writeHead(405).end();
    response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /m\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { code, errors } = await createCliFolder(t).run("add", "old", `http://127.0.0.1:${port}/sse`);
  assert.equal(code, 1);
  assert.match(errors, /\/sse speaks the old SSE transport of MCP\. See whether .* streamable HTTP/);
});

test("add refuses a reserved name before it looks at the source", async (t) => {
  const { code, errors } = await createCliFolder(t).run("add", "services", "http://127.0.0.1:9/mcp");
  assert.deepEqual(
    [code, errors],
    [2, "The gateway's own operations are called services/…: choose another name."],
  );
});

test("add writes the options of a plugin, and refuses an option that plugins do not have", async (t) => {
  const core = new URL("../../../core.ts", import.meta.url).href;
  const plugin = `import { defineOperation, definePlugin } from ${JSON.stringify(core)};
    export default definePlugin({ name: "x", operations: [
      defineOperation({ name: "local/hi", type: "query", description: "Says hi.", handler: () => "hi" }) ] });`;
  const folder = createCliFolder(t, { files: { "ops.mjs": plugin } });
  assert.equal(
    (await folder.run("add", "local", "ops.mjs", "--scopes", "admin", "--external", "none")).code,
    0,
  );
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual([keysOf(config).local?.scopes, keysOf(config).local?.external], [["admin"], []]);
  for (const [option, value] of [
    ["--token-env", "TOKEN"],
    ["--server", "https://example.com"],
  ] as const) {
    const { code, errors } = await folder.run("add", "other", "ops.mjs", option, value);
    assert.equal(code, 2);
    assert.match(errors, new RegExp(`${option} is for .*Leave it out`));
  }
});
