import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { serveRuntime } from "../../../../test/support/serve.ts";
import { keysOf } from "../../../../test/support/source-keys.ts";
import { loadConfig } from "../../../adapters/index.ts";
import { DEMO } from "../../../demo/index.ts";

const DOCUMENT = `
openapi: 3.1.0
info: { title: Pets }
servers: [{ url: https://pets.example.com }]
paths:
  /pets:
    get: { operationId: list, responses: { 200: { description: All. } } }
    post: { operationId: add, responses: { 201: { description: Added. } } }
  /events:
    get: { responses: { 200: { description: Events., content: { text/event-stream: {} } } } }
  /broken:
    get: 7
`;
const KEYED = DOCUMENT.replace(
  "paths:",
  "components: { securitySchemes: { key: { type: apiKey, in: header, name: x-key } } }\nsecurity: [{ key: [] }]\npaths:",
);

test("add --dry-run shows counts, names, warnings, the cost and the lines, and writes nothing", async (t) => {
  const folder = createCliFolder(t, { files: { "pets.yaml": DOCUMENT } });
  const { code, out } = await folder.run("add", "pets", "pets.yaml", "--dry-run");
  assert.equal(code, 0);
  assert.match(
    out,
    /^An API with an OpenAPI document: Pets\n3 operations \(query 1, mutation 1, subscription 1\)\.\n/,
  );
  assert.match(out, /about \d+ tokens/);
  assert.match(
    out,
    /\n {2}pets\/list {8}query\n {2}pets\/add {9}mutation\n {2}pets\/get_events {2}subscription\n/,
  );
  assert.match(out, /Warnings: 1\n {2}GET \/broken: the operation is not an object\n/);
  assert.match(out, / {4}pets:\n {6}openapi: \.\/pets\.yaml\n {6}external: "\*"$/);
  assert.throws(() => folder.read("pinhole.yaml"), { code: "ENOENT" });
});

test("add keeps comments and layout of the configuration", async (t) => {
  const mine =
    "# mine\nsources:\n    # the best\n    a:   { plugin: ./a.ts }   # really\n\nlog: { level:   warn }\n";
  const folder = createCliFolder(t, { files: { "pets.yaml": DOCUMENT, "pinhole.yaml": mine } });
  const { code } = await folder.run(
    "add",
    "pets",
    "./pets.yaml",
    "--external",
    "list, get*",
    "--scopes",
    "pets",
  );
  assert.equal(code, 0);
  const added =
    "    pets:\n      openapi: ./pets.yaml\n      external: [ list, get* ]\n      scopes: [ pets ]\n\nlog:";
  assert.equal(folder.read("pinhole.yaml"), mine.replace("\nlog:", added));
});

test("add writes the path of a file relative to the configuration", async (t) => {
  const folder = createCliFolder(t, { files: { "pets.yaml": DOCUMENT, "deep/team.yaml": "" } });
  assert.equal((await folder.run("add", "pets", "pets.yaml", "--config", "deep/team.yaml")).code, 0);
  assert.match(folder.read("deep/team.yaml"), /openapi: \.\.\/pets\.yaml/);
});

test("add refuses a taken name before it looks at the source, and replaces it on request", async (t) => {
  const files = { "pets.yaml": DOCUMENT, "pinhole.yaml": "sources:\n  pets: { plugin: ./a.ts }\n" };
  const refused = await createCliFolder(t, { files }).run("add", "pets", "pets.yaml", "--yes");
  assert.deepEqual([refused.code, refused.out], [2, ""]);
  assert.match(refused.errors, /has a source pets already, and stays as it is\./);
  const folder = createCliFolder(t, { files, answers: ["y"] });
  assert.equal((await folder.run("add", "pets", "pets.yaml")).code, 0);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual([keysOf(config).pets?.openapi, keysOf(config).pets?.plugin], ["./pets.yaml", undefined]);
});

test("add writes a credential as a reference to a variable, never as a secret", async (t) => {
  const files = { "pets.yaml": KEYED };
  const folder = createCliFolder(t, { files, answers: ["sk-123 456", "MY_KEY"] });
  const { code, asked, errors, out } = await folder.run("add", "pets", "pets.yaml");
  assert.equal(code, 0);
  assert.match(asked[0] ?? "", /It wants a credential \(apiKey\).*\[PETS_API_KEY\]: $/);
  assert.match(errors, /not the name of an environment variable/);
  assert.ok(!errors.includes("sk-123"), "what was pasted by mistake is not repeated");
  assert.match(folder.read("pinhole.yaml"), /apiKey: \{ env: MY_KEY \}/);
  assert.match(
    out,
    /Set MY_KEY in the environment of the gateway, and start it anew: pinhole serve\nUntil then pets/,
  );
  assert.doesNotMatch(out, /takes it over by itself/);

  const without = createCliFolder(t, { files, answers: ["none"] });
  await without.run("add", "pets", "pets.yaml");
  assert.doesNotMatch(without.read("pinhole.yaml"), /apiKey/);
});

test("add does not write an unset credential if some operations work without it", async (t) => {
  const files = { "pets.yaml": KEYED.replace("operationId: list", "operationId: list, security: []") };
  const folder = createCliFolder(t, { files });
  const { code, out } = await folder.run("add", "pets", "pets.yaml", "--yes");
  assert.equal(code, 0);
  assert.doesNotMatch(folder.read("pinhole.yaml"), /env:/);
  assert.match(out, /Operations that want a credential \(apiKey\) will be refused until pets has one\./);
  const known = createCliFolder(t, { files, env: { PETS_API_KEY: "s3cret" } });
  await known.run("add", "pets", "pets.yaml", "--yes");
  assert.match(known.read("pinhole.yaml"), /apiKey: \{ env: PETS_API_KEY \}/);
});

test("add recognises an MCP server by its address, and by its host alone", async (t) => {
  const server = await serveRuntime({ sources: DEMO });
  t.after(() => server.close(0));
  for (const place of [server.mcpUrl.href, server.mcpUrl.origin]) {
    const folder = createCliFolder(t);
    const { code, out } = await folder.run("add", "other", place);
    assert.equal(code, 0);
    assert.match(out, /^An MCP server: .*\n4 operations \(mutation 4\)/);
    const { config } = await loadConfig({ directory: folder.path });
    const { mcp, allowPrivate, external } = keysOf(config).other ?? {};
    assert.deepEqual(
      { mcp, allowPrivate, external },
      { mcp: server.mcpUrl.href, allowPrivate: true, external: "*" },
    );
  }
});

test("add asks a server that wants a credential again with the one in the variable", async (t) => {
  const identity = { id: "me", authenticated: true, scopes: [] };
  const options = { sources: DEMO, policy: { anonymous: false } };
  const server = await serveRuntime({
    ...options,
    resolveIdentity: async (token) => (token === "s3cret" ? identity : undefined),
  });
  t.after(() => server.close(0));
  const folder = createCliFolder(t, { answers: [""], env: { OTHER_TOKEN: "s3cret" } });
  const { code, out, asked } = await folder.run("add", "other", server.mcpUrl.href);
  assert.equal(code, 0);
  assert.match(out, /^An MCP server\. It wants a credential before it says what it offers\./);
  assert.match(out, /\n4 operations/);
  assert.equal(asked.length, 1);
  assert.match(folder.read("pinhole.yaml"), /token: \{ env: OTHER_TOKEN \}/);
  assert.ok(!`${out}${folder.read("pinhole.yaml")}`.includes("s3cret"));

  const wrong = createCliFolder(t, { answers: [""], env: { OTHER_TOKEN: "wr0ng" } });
  const refused = await wrong.run("add", "other", server.mcpUrl.href);
  assert.match(
    refused.errors,
    /It refused the credential in OTHER_TOKEN\. Renew it, then run: pinhole doctor/,
  );
});

test("add allows calls to an API on this machine, wherever its document lies", async (t) => {
  const local = DOCUMENT.replace("https://pets.example.com", "http://127.0.0.1:9");
  const folder = createCliFolder(t, { files: { "pets.yaml": local, "far.yaml": DOCUMENT } });
  await folder.run("add", "pets", "pets.yaml");
  await folder.run("add", "near", "far.yaml", "--server", "http://localhost:4010");
  const { pets, near } = keysOf((await loadConfig({ directory: folder.path })).config);
  assert.equal(pets?.allowPrivate, true);
  assert.deepEqual([near?.server, near?.allowPrivate], ["http://localhost:4010", true]);
  const { code, errors } = await folder.run("add", "x", "far.yaml", "--server", "localhost:4010");
  assert.deepEqual([code, errors.slice(0, 9)], [2, "--server:"]);
});

test("add reads a protected document with its credential, and so does the gateway later", async (t) => {
  const url = await serve(t, (request, response) => {
    const isKnown = request.headers.authorization === "Bearer s3cret";
    response
      .writeHead(isKnown ? 200 : 401, { "content-type": "application/yaml" })
      .end(isKnown ? DOCUMENT : "");
  });
  const folder = createCliFolder(t, { answers: [""], env: { PETS_TOKEN: "s3cret" } });
  const { code, out } = await folder.run("add", "pets", `${url}/openapi.yaml`);
  assert.equal(code, 0);
  assert.match(out, /^An API with an OpenAPI document\. It wants a credential[\s\S]*\n3 operations/);
  const { pets } = keysOf((await loadConfig({ directory: folder.path })).config);
  assert.deepEqual([pets?.token?.env, pets?.documentAuth], ["PETS_TOKEN", true]);
  const unset = createCliFolder(t, { answers: [""] });
  await unset.run("add", "pets", `${url}/openapi.yaml`);
  assert.match(unset.read("pinhole.yaml"), /openapi: \S+\n {4}token: .*\n {4}documentAuth: true\n/);
});

test("add does not send the token for calls to a public document", async (t) => {
  const seen: (string | undefined)[] = [];
  const url = await serve(t, (request, response) => {
    seen.push(request.headers.authorization);
    response.end(DOCUMENT);
  });
  const folder = createCliFolder(t, { env: { PETS_TOKEN: "s3cret" } });
  assert.equal((await folder.run("add", "pets", `${url}/api.yaml`, "--token-env", "PETS_TOKEN")).code, 0);
  assert.deepEqual(new Set(seen), new Set([undefined]));
  const { pets } = keysOf((await loadConfig({ directory: folder.path })).config);
  assert.deepEqual([pets?.token?.env, pets?.documentAuth], ["PETS_TOKEN", false]);
});

test("add writes oauth for a server with browser login, and names login as the next step", async (t) => {
  const url = await serve(t, (_, response) => {
    response.setHeader("www-authenticate", 'Bearer resource_metadata="https://127.0.0.1/.well-known/x"');
    response.writeHead(401).end();
  });
  const asked = createCliFolder(t, { answers: [""] });
  const { code, out, asked: questions } = await asked.run("add", "hub", `${url}/mcp`);
  assert.equal(code, 0);
  assert.match(questions[0] ?? "", /\[login\]: $/);
  assert.match(asked.read("pinhole.yaml"), / {4}oauth: \{\}\n/);
  assert.match(out, /Sign in: pinhole login hub\n/);
  const other = createCliFolder(t, { answers: ["HUB_KEY"] });
  await other.run("add", "hub", `${url}/mcp`);
  assert.match(other.read("pinhole.yaml"), /token: \{ env: HUB_KEY \}/);
  const folder = createCliFolder(t, { files: { "pets.yaml": DOCUMENT } });
  assert.equal((await folder.run("add", "pets", "pets.yaml", "--login")).code, 2);
});

test("add refuses an invalid source name before it looks at the source", async (t) => {
  const { code, errors } = await createCliFolder(t).run("add", "my pets", "pets.yaml");
  assert.deepEqual(
    [code, errors],
    [2, '"my pets" is not a valid source name: use letters, digits, _ . and - only.'],
  );
});

test("add recognises a plugin by its file extension", async (t) => {
  const folder = createCliFolder(t, { files: { "ops.mjs": pluginWith("") } });
  const { code, out } = await folder.run("add", "local", "ops.mjs");
  assert.equal(code, 0);
  assert.match(out, /^A plugin\n1 operation \(query 1\)/);
  assert.match(folder.read("pinhole.yaml"), / {2}local:\n {4}plugin: \.\/ops\.mjs\n/);
});

test("add refuses a plugin that the gateway would refuse, and names its file and the reason", async (t) => {
  const byHand =
    'export default { source: { name: "x" }, registrations: [{ spec: { name: "local/hi", type: "query" }, handler: {} }] };';
  const files = { "ops.mjs": pluginWith("description: undefined"), "hand.mjs": byHand };
  const folder = createCliFolder(t, { files });
  const { code, errors } = await folder.run("add", "local", "ops.mjs");
  assert.equal(code, 1);
  assert.match(errors, /ops\.mjs: Operation "local\/hi" has no description; say in a sentence what it does/);
  const hand = await folder.run("add", "local", "hand.mjs");
  assert.equal(hand.code, 1);
  assert.match(
    hand.errors,
    /hand\.mjs: There is something .* that is not an operation\. Make each with defineOp/,
  );
  assert.throws(() => folder.read("pinhole.yaml"), { code: "ENOENT" });
});

/** A plugin with one operation and additional properties in its spec. */
function pluginWith(spec: string): string {
  const core = new URL("../../../core.ts", import.meta.url).href;
  return `import { defineOperation } from ${JSON.stringify(core)};
    const hi = defineOperation({ name: "local/hi", type: "query", description: "Says hi.", handler: () => "hi" });
    export default { source: { name: "x" }, registrations: [{ ...hi, spec: { ...hi.spec, ${spec} } }] };`;
}

test("add refuses an address that is neither an API nor an MCP server, and says what it tried", async (t) => {
  const url = await servePage(t);
  const folder = createCliFolder(t);
  const { code, errors } = await folder.run("add", "page", `${url}/docs`);
  assert.equal(code, 1);
  assert.match(
    errors,
    /neither an OpenAPI document nor an MCP server\.\n {2}As a document: it answered with a web page\n {2}As an MCP server: /,
  );
  const gone = await folder.run("add", "pets", "gone.yaml");
  assert.match(gone.errors, /There is no file .*gone\.yaml\. Check the path/);
  const host = await folder.run("add", "pets", "api.example.com/v1");
  assert.match(host.errors, /If it is an address, write https:\/\/api\.example\.com\/v1\./);
  assert.equal((await folder.run("add", "pets")).code, 2);
});

test("add refuses a change that would break the configuration, and keeps the file", async (t) => {
  const broken = "server: { port: many }\n";
  const folder = createCliFolder(t, { files: { "pets.yaml": DOCUMENT, "pinhole.yaml": broken } });
  const { code, errors } = await folder.run("add", "pets", "pets.yaml");
  assert.equal(code, 1);
  assert.match(errors, /^pinhole\.yaml:1 {2}server\.port: expected integer/);
  assert.equal(folder.read("pinhole.yaml"), broken);
});

function servePage(t: TestContext): Promise<string> {
  return serve(t, (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Docs</h1>"),
  );
}

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
