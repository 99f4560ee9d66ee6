import assert from "node:assert/strict";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { keysOf } from "../../../../test/support/source-keys.ts";
import { loadConfig } from "../../../adapters/index.ts";

const CURSOR = `{
  // what Cursor uses
  "mcpServers": {
    "git hub": { "url": "http://127.0.0.1:9/mcp", "headers": { "Authorization": "Bearer ghp_S3CRET" } },
    "linear": { "url": "https://192.0.2.1/mcp", "headers": { "authorization": "Bearer \${env:LINEAR_KEY}" } },
    "docs": { "command": "npx", "args": ["-y", "mcp-remote@latest", "https://192.0.2.2/mcp"] },
    "memory": { "command": "npx", "args": ["server-memory", "--api-key", "sk-S3CRET", "--key=S3CRET", "a b"], "env": { "K": "S3CRET" } },
    "old": { "type": "sse", "url": "https://192.0.2.3/sse" },
    "keyed": { "url": "https://192.0.2.4/mcp?api_key=S3CRET" },
    "other": { "url": "https://192.0.2.5/mcp", "headers": { "X-Api-Key": "S3CRET" } },
    "two": { "url": "https://192.0.2.7/mcp", "headers": { "X-Api-Key": "S3CRET", "X-Tenant": "S3CRET" } },
    "basic": { "url": "https://192.0.2.6/mcp", "headers": { "Authorization": "Basic S3CRET" } },
  },
}`;

test("import adds servers that speak HTTP, with references to their tokens", async (t) => {
  const folder = createCliFolder(t, { files: { "mcp.json": CURSOR } });
  const { code, out } = await folder.run("import", "mcp.json");
  assert.equal(code, 0);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual(
    Object.entries(keysOf(config)).map(([name, { mcp, token, external }]) => [
      name,
      mcp,
      token?.env,
      external,
    ]),
    [
      ["git-hub", "http://127.0.0.1:9/mcp", "GIT_HUB_TOKEN", "*"],
      ["linear", "https://192.0.2.1/mcp", "LINEAR_KEY", "*"],
      ["docs", "https://192.0.2.2/mcp", undefined, "*"],
      ["other", "https://192.0.2.5/mcp", "OTHER_TOKEN", "*"],
      ["basic", "https://192.0.2.6/mcp", "BASIC_TOKEN", "*"],
    ],
  );
  assert.equal(keysOf(config).linear?.tokenHeader, undefined);
  assert.equal(keysOf(config).other?.tokenHeader, "X-Api-Key");
  assert.equal(keysOf(config).basic?.tokenHeader, "Authorization");
  assert.equal(keysOf(config)["git-hub"]?.allowPrivate, true);
  assert.match(out, /GIT_HUB_TOKEN {2}\(its value is in mcp\.json; it was not copied\)\n {2}LINEAR_KEY\n/);
});

test("import gives advice for each server that it leaves out", async (t) => {
  const folder = createCliFolder(t, { files: { "mcp.json": CURSOR } });
  const { out } = await folder.run("import", "mcp.json");
  assert.match(
    out,
    /npx mcp-proxy --host 127\.0\.0\.1 --port (\d+) -- npx server-memory --api-key … --key=… 'a b'\n {2}pinhole add memory http:\/\/127\.0\.0\.1:\1\/mcp\n.*: K\./,
  );
  assert.match(out, /old is left out: it speaks the old SSE transport/);
  assert.match(out, /keyed is left out: its address contains a secret/);
  assert.match(out, /two is left out: it wants the headers X-Api-Key, X-Tenant/);
});

test("import adds the other servers if one cannot be added", async (t) => {
  const settings = {
    mcpServers: {
      services: { url: "https://192.0.2.1/mcp" },
      context7: { url: "https://192.0.2.2/mcp", headers: { CONTEXT7_API_KEY: "S3CRET" } },
      strange: { url: "https://192.0.2.3/mcp", headers: { "no header": "S3CRET" } },
    },
  };
  const folder = createCliFolder(t, { files: { "mcp.json": JSON.stringify(settings) } });
  const { code, out } = await folder.run("import", "mcp.json");
  assert.equal(code, 0);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual(Object.keys(config.sources), ["context7"]);
  assert.equal(keysOf(config).context7?.tokenHeader, "CONTEXT7_API_KEY");
  assert.match(
    out,
    /services is left out: the gateway's own operations have this name\. Add it under another/,
  );
  assert.match(out, /strange is left out: "no header" is not the name of a header/);
});

test("import prints and writes no secret", async (t) => {
  const folder = createCliFolder(t, { files: { "mcp.json": CURSOR } });
  const { out, errors } = await folder.run("import", "mcp.json");
  assert.ok(!`${out}${errors}${folder.read("pinhole.yaml")}`.includes("S3CRET"));
});

test("import also reads the settings of VS Code and of Claude Code's projects", async (t) => {
  const server = (port: number) => ({ type: "http", url: `http://127.0.0.1:${port}/mcp` });
  const files = {
    "vscode.json": JSON.stringify({ servers: { one: server(1) }, inputs: [] }),
    "settings.json": JSON.stringify({ mcp: { servers: { two: server(2) } } }),
    "claude.json": JSON.stringify({ projects: { "/a": { mcpServers: { three: server(3) } } } }),
  };
  const folder = createCliFolder(t, { files });
  for (const file of Object.keys(files)) assert.equal((await folder.run("import", file)).code, 0);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual(Object.keys(config.sources), ["one", "two", "three"]);
});

test("import reports two servers with one name, unless they are the same", async (t) => {
  const one = { type: "http", url: "http://127.0.0.1:1/mcp" };
  const other = { type: "http", url: "http://127.0.0.1:2/mcp" };
  const projects = { "/a": { mcpServers: { same: one, twice: other } } };
  const settings = JSON.stringify({ mcpServers: { same: one, twice: one }, projects });
  const folder = createCliFolder(t, { files: { "claude.json": settings } });
  const { out } = await folder.run("import", "claude.json");
  assert.match(out, /\ntwice is there more than once, with different settings; the first one counts\./);
  assert.doesNotMatch(out, /same is there/);
  const { config } = await loadConfig({ directory: folder.path });
  assert.equal(keysOf(config).twice?.mcp, one.url);
});

test("import keeps existing sources, writes nothing in a dry run, and reports a wrong file", async (t) => {
  const mine = "sources:\n  linear: { plugin: ./l.ts }\n";
  const files = { "mcp.json": CURSOR, "pinhole.yaml": mine, "none.json": "{}", "bad.json": "{\n  oops" };
  const folder = createCliFolder(t, { files });
  const { out } = await folder.run("import", "mcp.json", "--dry-run");
  assert.match(out, /^These lines would go into pinhole\.yaml/);
  assert.match(out, /linear is left out: the configuration has a source of this name already/);
  assert.equal(folder.read("pinhole.yaml"), mine);
  assert.match((await folder.run("import", "none.json")).errors, /none\.json names no servers/);
  assert.match((await folder.run("import", "bad.json")).errors, /bad\.json is not valid JSON: line 2: /);
  assert.match((await folder.run("import", "gone.json")).errors, /There is no such file/);
});

test("import leaves out the gateway itself, and says that the originals can go", async (t) => {
  const settings = {
    mcpServers: {
      pinhole: { url: "http://localhost:7470/mcp" },
      facet: { url: "http://127.0.0.1:7470/mcp/reads" },
      other: { url: "http://127.0.0.1:7471/mcp" },
    },
  };
  const files = { "mcp.json": JSON.stringify(settings), "pinhole.yaml": "server: { port: 7470 }\n" };
  const folder = createCliFolder(t, { files });
  const { out } = await folder.run("import", "mcp.json");
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual(Object.keys(config.sources), ["other"]);
  for (const name of ["pinhole", "facet"])
    assert.match(out, new RegExp(`${name} is left out: it is this gateway itself`));
  assert.match(out, /remove this server from mcp\.json: otherwise it has every tool twice\.$/);
});

test("import without a configuration recognizes the gateway by the default port", async (t) => {
  const settings = { mcpServers: { pinhole: { url: "http://127.0.0.1:7464/mcp" } } };
  const folder = createCliFolder(t, { files: { "mcp.json": JSON.stringify(settings) } });
  const { out } = await folder.run("import", "mcp.json");
  assert.match(out, /^Nothing to take over\.\n\npinhole is left out: it is this gateway itself\.$/);
});
