import assert from "node:assert/strict";
import { chmodSync, lstatSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { parseJsonc } from "../../jsonc.ts";

const URL = "http://127.0.0.1:7464/mcp";

test("connect prints the command of the client and its settings", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": "server: { port: 8123 }\n" } });
  const { code, out } = await folder.run("connect", "claude");
  assert.equal(code, 0);
  assert.match(out, /claude mcp add --transport http pinhole http:\/\/127\.0\.0\.1:8123\/mcp\n/);
  assert.match((await folder.run("connect", "cursor")).out, /\.cursor\/mcp\.json[\s\S]*"url": "http:\/\/127/);
  assert.match((await folder.run("connect", "vscode")).out, /code --add-mcp '\{"name":"pinhole"/);
});

test("connect keeps comments, servers and order of existing settings, and makes a copy", async (t) => {
  const mine = `{
  // my servers
  "mcpServers": {
    "files": { "command": "files" }, // the old one
  },
  "other": [1, 2], /* more */
}
`;
  const folder = createCliFolder(t, { files: { ".cursor/mcp.json": mine, ".cursor/mcp.json.bak": "older" } });
  const { code, out } = await folder.run("connect", "cursor", "--write", "--name", "tools");
  assert.equal(code, 0);
  assert.match(out, /The file as it was is kept as .*mcp\.json\.bak\.1\./);
  assert.equal(folder.read(".cursor/mcp.json.bak"), "older");
  assert.equal(folder.read(".cursor/mcp.json.bak.1"), mine);
  const written = folder.read(".cursor/mcp.json");
  assert.deepEqual(structuredClone(parseJsonc(written)), {
    mcpServers: { files: { command: "files" }, tools: { url: URL } },
    other: [1, 2],
  });
  for (const comment of ["// my servers", "// the old one", "/* more */"])
    assert.ok(written.includes(comment));
  assert.match((await folder.run("connect", "cursor", "--write", "--name", "tools")).out, /is up to date/);
});

test("connect refers to the token by its variable, and writes it into no file", async (t) => {
  const folder = createCliFolder(t, { files: { ".vscode/mcp.json": '{ "inputs": [{ "id": "mine" }] }' } });
  for (const client of ["claude", "cursor", "vscode"]) {
    assert.equal((await folder.run("connect", client, "--write", "--token-env", "TEAM_TOKEN")).code, 0);
  }
  const headerIn = (file: string, key: string) =>
    JSON.parse(folder.read(file))[key].pinhole.headers.Authorization as string;
  assert.equal(headerIn(".mcp.json", "mcpServers"), `Bearer \${TEAM_TOKEN}`);
  assert.equal(headerIn(".cursor/mcp.json", "mcpServers"), `Bearer \${env:TEAM_TOKEN}`);
  assert.equal(headerIn(".vscode/mcp.json", "servers"), `Bearer \${input:pinhole-token}`);
  const { inputs } = JSON.parse(folder.read(".vscode/mcp.json"));
  assert.deepEqual(
    inputs.map(({ id }: { id: string }) => id),
    ["mine", "pinhole-token"],
  );
});

test("connect names the missing option if the gateway requires a token", async (t) => {
  const folder = createCliFolder(t);
  await folder.run("init", "--yes", "--token", "me");
  const { code, errors } = await folder.run("connect", "claude");
  assert.equal(code, 2);
  assert.match(errors, /Add --token-env NAME/);
});

test("connect does not change settings that are not JSON", async (t) => {
  const folder = createCliFolder(t, { files: { ".mcp.json": '{ "mcpServers": [' } });
  const { code, errors } = await folder.run("connect", "claude", "--write");
  assert.equal(code, 2);
  assert.match(errors, /^\.mcp\.json cannot be changed: line 1: /);
  assert.equal(folder.read(".mcp.json"), '{ "mcpServers": [');
  assert.match(
    (await folder.run("connect", "emacs")).errors,
    /^client is one of claude, cursor, vscode, not "emacs"/,
  );
});

test("connect changes the target of a link, and keeps its mode", {
  skip: process.platform === "win32",
}, async (t) => {
  const folder = createCliFolder(t, { files: { "dotfiles/mcp.json": "{}\n" } });
  chmodSync(join(folder.path, "dotfiles/mcp.json"), 0o600);
  symlinkSync("dotfiles/mcp.json", join(folder.path, ".mcp.json"));
  assert.equal((await folder.run("connect", "claude", "--write")).code, 0);
  assert.ok(lstatSync(join(folder.path, ".mcp.json")).isSymbolicLink());
  assert.match(folder.read("dotfiles/mcp.json"), /"pinhole"/);
  assert.equal(statSync(join(folder.path, "dotfiles/mcp.json")).mode & 0o777, 0o600);
});

test("connect refuses a name that a client or a shell would not accept", async (t) => {
  const { code, errors } = await createCliFolder(t).run("connect", "claude", "--name", "a b");
  assert.equal(code, 2);
  assert.match(errors, /^--name: letters, digits, _ and - only/);
});

test("connect does not change settings that are not an object or not writable", async (t) => {
  const folder = createCliFolder(t, { files: { ".cursor/mcp.json": "[]", ".mcp.json": '{"a": 1}' } });
  const listed = await folder.run("connect", "cursor", "--write");
  assert.equal(listed.code, 2);
  assert.match(listed.errors, /an object was expected, not \[\]\. Fix it first\.$/);
  assert.equal(folder.read(".cursor/mcp.json"), "[]");
  if (process.getuid?.() === 0) return;
  chmodSync(join(folder.path, ".mcp.json"), 0o444);
  const readOnly = await folder.run("connect", "claude", "--write");
  assert.equal(readOnly.code, 1);
  assert.match(readOnly.errors, /\.mcp\.json may not be read or written\. Check its permissions/);
  assert.equal(folder.read(".mcp.json"), '{"a": 1}');
});
