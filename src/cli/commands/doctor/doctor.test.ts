import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { serveRuntime } from "../../../../test/support/serve.ts";
import { DEMO } from "../../../demo/index.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets" },
  servers: [{ url: "https://pets.example.com" }],
  paths: { "/pets": { get: { operationId: "list", responses: { 200: { description: "All." } } } } },
});

async function examine(t: TestContext, config: string, env: Record<string, string> = {}) {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": config, "pets.json": DOCUMENT }, env });
  return folder.run("doctor", "--port", "0");
}

test("doctor finds nothing wrong with a valid configuration", async (t) => {
  const server = await serveRuntime({ sources: DEMO });
  t.after(() => server.close(0));
  const source = `sources: { other: { mcp: ${server.mcpUrl.href}, allowPrivate: true, external: "*" } }`;
  const { code, out } = await examine(t, source);
  assert.equal(code, 0);
  assert.match(out, /^ok {5}version: Pinhole \S+ on Node \S+\.\nok {5}config: .*: one source\.\n/);
  assert.match(out, /\nok {5}other: It answers: 4 operations\.\n/);
  assert.match(out, /\nok {5}clock: The clock agrees with that of 127\.0\.0\.1/);
  assert.match(out, /\n\nAll is well\.$/);
});

test("doctor lists every mistake of the configuration with its line", async (t) => {
  const { code, out } = await examine(t, "server: { prot: 1 }\nlog: { level: loud }\n");
  assert.equal(code, 1);
  assert.match(out, /WRONG {2}config: pinhole\.yaml:1 {2}server\.prot: unknown key; did you mean port\?\n/);
  assert.match(out, /WRONG {2}config: pinhole\.yaml:2 {2}log\.level: /);
  assert.match(out, /To do:\n {2}1\. Correct pinhole\.yaml there/);
});

test("doctor checks credentials without showing them, and still examines the other sources", async (t) => {
  const config = `
sources:
  one: { mcp: "http://127.0.0.1:9/mcp", token: { env: GONE_TOKEN }, allowPrivate: true }
  two: { mcp: "http://127.0.0.1:9/mcp", token: { env: HERE_TOKEN }, allowPrivate: true, external: "*" }
  three: { openapi: ./pets.json, headers: { env: prod }, external: "*" }
`;
  process.env.HERE_TOKEN = "s3cret";
  t.after(() => delete process.env.HERE_TOKEN);
  const { code, out } = await examine(t, config, { HERE_TOKEN: "s3cret" });
  assert.equal(code, 1);
  assert.match(
    out,
    /WRONG {2}credentials: sources\.one\.token: the environment variable GONE_TOKEN is not set, or empty\./,
  );
  assert.match(out, /ok {5}credentials: sources\.two\.token: \{ env: HERE_TOKEN \} is there\./);
  assert.match(
    out,
    /note {3}credentials: sources\.two\.token has fewer than 8 characters and is not redacted/,
  );
  assert.match(out, /WRONG {2}two: TRANSPORT: /);
  assert.match(out, /note {3}three: Its document is read, but the API does not answer: .* 1 operation from/);
  assert.match(out, / \d\. Set GONE_TOKEN before the start\.\n/);
  assert.ok(!out.includes("s3cret") && !out.includes("prod"));
});

test("doctor notes a secret in a file that others may read", {
  skip: process.platform === "win32",
}, async (t) => {
  const files = { "pinhole.yaml": "server: { stateKey: { file: ./key } }\n" };
  const folder = createCliFolder(t, { files });
  writeFileSync(join(folder.path, "key"), "s3cret");
  chmodSync(join(folder.path, "key"), 0o644);
  const { code, out } = await folder.run("doctor", "--port", "0");
  assert.equal(code, 0);
  assert.match(out, /note {3}credentials: Others on this machine may read .*key\./);
});

test("doctor notes patterns and scopes that match nothing", async (t) => {
  const config = `
sources:
  pets: { openapi: ./pets.json, external: ["list", "get*"], scopes: [pets] }
  more: { openapi: ./pets.json }
deny: ["pets/lst", "pets/*"]
facets: { reviews: ["github/*"] }
`;
  const { code, out } = await examine(t, config);
  assert.equal(code, 0);
  assert.match(out, /sources\.pets\.external: "get\*" matches no operation\./);
  assert.doesNotMatch(out, /"list" matches/);
  assert.match(out, /note {3}more: No caller can reach any of its operations/);
  assert.match(out, /note {3}deny: deny: "pets\/lst" matches no operation\./);
  assert.doesNotMatch(out, /"pets\/\*" matches/);
  assert.match(out, /facets\.reviews: "github\/\*" matches no operation\./);
  assert.match(out, /No identity has the scope pets that it asks for/);
  assert.match(out, /Nothing is wrong\.\nWorth a look:\n {2}1\. /);
});

test("doctor reports clashing names with both sources", async (t) => {
  const spec = {
    name: "pets/list",
    namespace: "pets",
    type: "query",
    visibility: "external",
    description: "For a test.",
  };
  const rest = { inputSchema: {}, outputSchema: {}, errors: [], access: {}, mutates: false };
  const plugin = `export default { source: { name: "x" }, registrations: [
    { spec: ${JSON.stringify({ ...spec, ...rest })}, handler: { kind: "once", run: () => 1 }, provenance: "local" },
  ] };`;
  const pets = "pets: { openapi: ./pets.json, external: '*' }";
  const upstream = `sources: { local: { plugin: ./a.mjs }, ${pets} }`;
  const plugins = "sources: { local: { plugin: ./a.mjs }, other: { plugin: ./b.mjs } }";
  const files = { "pets.json": DOCUMENT, "a.mjs": plugin, "b.mjs": plugin };
  const first = await createCliFolder(t, { files: { ...files, "pinhole.yaml": upstream } }).run("doctor");
  assert.equal(first.code, 1);
  assert.match(first.out, /WRONG {2}pets: NAME_COLLISION: .*pets\/list.*local/);
  assert.match(first.out, /Rename pets or the source that has the same names\./);
  const second = await createCliFolder(t, { files: { ...files, "pinhole.yaml": plugins } }).run("doctor");
  assert.equal(second.code, 1);
  assert.match(second.out, /WRONG {2}other: NAME_COLLISION: .*pets\/list.*local.*other/);
});

test("doctor reports an inconsistent operation of a plugin with its place", async (t) => {
  const plugin = (
    spec: string,
  ) => `const spec = { name: "desk/put", namespace: "desk", type: "query", visibility: "external",
    inputSchema: {}, outputSchema: {}, errors: [], access: {}, mutates: false, ${spec} };
    export default { source: { name: "x" }, registrations: [
      { spec, handler: { kind: "once", run: () => 1 }, provenance: "local" } ] };`;
  const doctor = async (content: string) => {
    const files = { "pinhole.yaml": "sources: { desk: { plugin: ./desk.mjs } }", "desk.mjs": content };
    const { code, out } = await createCliFolder(t, { files }).run("doctor", "--port", "0");
    assert.equal(code, 1);
    return out;
  };
  assert.match(await doctor(plugin("")), /WRONG {2}desk: .*Operation "desk\/put" has no description/);
  assert.match(
    await doctor(plugin('description: "Puts.", inputSchema: { required: 1 }')),
    /"desk\/put" has an inputSchema that is not a JSON Schema: \/required must be a list of texts/,
  );
  assert.match(
    await doctor('export default { source: { name: "x" }, registrations: [undefined] };'),
    /desk\.mjs: There is something among its operations that is not an operation\. Make each with defineOperation/,
  );
});

test("doctor reports plugins that do not load and unknown facets", async (t) => {
  const files = {
    "pinhole.yaml":
      "sources: { bad: { plugin: ./bad.mjs }, gone: { plugin: ./gone.mjs } }\nmcp: { expose: [cor] }\n",
    "bad.mjs": "export default 7;",
  };
  const { code, out } = await createCliFolder(t, { files }).run("doctor", "--port", "0");
  assert.equal(code, 1);
  assert.match(
    out,
    /WRONG {2}bad: SCHEMA_PARSE: pinhole\.yaml:1 {2}sources\.bad\.plugin: .* has no plugin as its default export/,
  );
  assert.match(out, /WRONG {2}gone: TRANSPORT: .*There is no file .*gone\.mjs\. Put the plugin there/);
  assert.match(
    out,
    /WRONG {2}surface: mcp\.expose names the facet "cor", which does not exist\. Did you mean core\?/,
  );
});

test("doctor reports a clock that is far off", async (t) => {
  const server = createServer((_, response) => {
    response.setHeader("date", new Date(Date.now() - 3_600_000).toUTCString());
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { code, out } = await examine(
    t,
    `sources: { pets: { openapi: ./pets.json, server: "http://127.0.0.1:${port}", allowPrivate: true, external: "*" } }`,
  );
  assert.equal(code, 1);
  assert.match(out, /WRONG {2}clock: The clock is 3[56]\d\d s ahead of that of 127\.0\.0\.1/);
});

test("doctor --json prints JSON", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": "server: { prot: 1 }" } });
  const { code, out } = await folder.run("doctor", "--json");
  assert.equal(code, 1);
  const { healthy, checks } = JSON.parse(out);
  assert.equal(healthy, false);
  assert.deepEqual(Object.keys(checks[1]), ["about", "level", "text", "advice"]);
});

test("doctor notes a configuration without sources and names the next step", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": "server: { port: 0 }\n" } });
  const { code, out } = await folder.run("doctor");
  assert.equal(code, 0);
  assert.match(out, /note {3}config: .*pinhole\.yaml can be read, and names no sources yet\.\n/);
  assert.match(out, /Worth a look:\n {2}1\. Add one: pinhole add NAME URL-OR-FILE$/);
});

test("doctor tells a missing credential from a refused one", async (t) => {
  const server = createServer((_, response) =>
    response.writeHead(401, { "www-authenticate": "Bearer" }).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const shared = 'allowPrivate: true, external: "*"';
  const source = `mcp: "http://${host}/mcp", ${shared}`;
  const config = `sources:
  none: { ${source} }
  old: { ${source}, token: { file: ./old.token } }
  user: { ${source}, oauth: {} }
  west: { peer: "ws://${host}/call-protocol", ${shared} }
`;
  const folder = createCliFolder(t, { files: { "pinhole.yaml": config, "old.token": "over" } });
  const { out } = await folder.run("doctor", "--port", "0");
  assert.match(
    out,
    /Give none a credential: .* token: \{ env: NAME \}; or oauth: \{\} .* pinhole login none\n/,
  );
  assert.match(out, /Renew the credential of old: its token was refused\./);
  assert.match(out, /Log in: pinhole login user/);
  assert.match(out, /Give west a credential: under sources\.west, token: \{ env: NAME \}\n/);
});

test("doctor accepts a pattern for one of the gateway's own operations", async (t) => {
  const config = 'server: { port: 0 }\ndeny: ["sources/list", "services/offer", "services/none"]\n';
  const { out } = await createCliFolder(t, { files: { "pinhole.yaml": config } }).run("doctor");
  assert.deepEqual(out.match(/deny: "\S+" matches no operation/g), [
    'deny: "services/none" matches no operation',
  ]);
});
