import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { startGateway } from "../../../gateway/index.ts";
import { newToken } from "../../../identity/index.ts";
import { createLog } from "../../../observe/index.ts";

const CORE = new URL("../../../core.ts", import.meta.url).href;
const DESK = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const operation = (name, type, more = {}) => defineOperation({ name, type, description: name + " of the desk.",
    inputSchema: { type: "object" }, handler: () => 1, ...more });
  export default definePlugin({ name: "desk", operations: [operation("desk/get", "query"), operation("desk/put", "mutation"),
    operation("desk/touch", "query", { mutates: true }), operation("desk/secret", "query", { access: { scopes: ["chief"] } })] });`;

const { token, tokenHash } = newToken();
const IDENTITIES = `identities: [{ id: ada, tokenHash: "${tokenHash}", scopes: [chief] }]`;
const FACETS = "facets: { reads: [desk/get], all: [desk/*] }";

async function skillOf(t: TestContext, config: string, ...line: string[]): Promise<string> {
  const yaml = `sources: { desk: { plugin: ./desk.mjs } }\n${FACETS}\n${config}\n`;
  const folder = createCliFolder(t, {
    files: { "pinhole.yaml": yaml, "desk.mjs": DESK },
    env: { ADA_TOKEN: token },
  });
  const { code, out, errors } = await folder.run("skill", ...line);
  assert.equal(code, 0, errors);
  return out;
}

test("a skill marks mutations, and names only operations for callers without scopes", async (t) => {
  const text = await skillOf(t, IDENTITIES);
  assert.match(text, /`desk\/put\(.*` \(\*writes\*\)/);
  assert.match(text, /`desk\/touch\(.*` \(\*writes\*\)/);
  assert.match(text, /`desk\/get\([^\n]*`\n/);
  assert.doesNotMatch(text, /secret/);
});

test("a skill for a token names the operations of its caller", async (t) => {
  const config = `${IDENTITIES}\nmcp: { expose: [core, all] }`;
  assert.match(await skillOf(t, config, "--token-env", "ADA_TOKEN"), /- `desk_secret`: desk\/secret/);
  assert.doesNotMatch(await skillOf(t, config), /secret/);
});

test("a skill names listed tools as they are listed", async (t) => {
  const text = await skillOf(t, "mcp: { expose: [core, reads] }");
  assert.match(text, /## Tools\n\n- `desk_get`: desk\/get of the desk\.\n\n## Namespaces\n/);
  assert.match(text, /1\. \*\*search\*\*/);
});

test("a skill of facets without core teaches neither search nor namespaces", async (t) => {
  const text = await skillOf(t, "mcp: { expose: [all] }");
  assert.doesNotMatch(text, /\*\*search|\*\*call|Namespaces/);
  assert.match(text, /- `desk_get`: .*\n- `desk_put` \(\*writes\*\): .*\n/);
});

test("a skill of a facet that is served alone names nothing else", async (t) => {
  const text = await skillOf(t, "mcp: { only: reads }");
  assert.match(text, /- `desk_get`: /);
  assert.doesNotMatch(text, /desk.put|desk.touch/);
});

test("a skill of a running node is the same as that of its configuration", async (t) => {
  const yaml = `server: { port: 0 }\nsources: { desk: { plugin: ./desk.mjs } }\n${FACETS}\nmcp: { expose: [core, all] }\n`;
  const folder = createCliFolder(t, { files: { "pinhole.yaml": yaml, "desk.mjs": DESK } });
  const gateway = await startGateway({ directory: folder.path, log: createLog("error"), watch: false });
  t.after(() => gateway.close());
  const { out } = await folder.run("skill", "--url", gateway.url);
  assert.ok(out.includes("`desk_put` (*writes*)"), out);
  assert.doesNotMatch(out, /secret/);
  assert.equal(out, (await folder.run("skill")).out);
});
