import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startConfigured } from "../support/scripted-upstream/index.ts";

const CORE = JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src/core.ts")).href);

/** A plugin with one operation, which answers a text. */
const pluginOf = (name: string, answer: string) => `
import { defineOperation, definePlugin } from ${CORE};
export default definePlugin({
  name: "${name}",
  operations: [defineOperation({ name: "${name}/say", type: "query", description: "Says it.", handler: () => ${answer} })],
});
`;

async function folderWith(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-plugins-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await Promise.all(Object.entries(files).map(([name, text]) => write(name, text)));
  return { write, sourceOf: (name: string) => ({ plugin: join(folder, name) }) };
}

type Started = Awaited<ReturnType<typeof startConfigured>>;

async function listed({ call }: Started, name: string) {
  const { output } = await call("sources/list");
  const { sources } = output as { readonly sources: readonly Record<string, unknown>[] };
  return sources.find((source) => source.name === name);
}

test("a plugin that does not load is unhealthy by file, line and reason; the others are there", async (t) => {
  const { sourceOf } = await folderWith(t, {
    "good.ts": pluginOf("good", "1"),
    "syntax.ts": "\n\nconst a = ;\n",
    "throws.ts": '\nthrow new Error("no database");\n',
    "empty.ts": "export const nothing = 1;\n",
    "name.ts": pluginOf("name", "1").replace("name/say", "nameless"),
  });
  const sources = Object.fromEntries(
    ["good", "syntax", "throws", "empty", "name", "gone"].map((name) => [name, sourceOf(`${name}.ts`)]),
  );
  const started = await startConfigured(t, { sources });
  assert.equal((await started.call("good/say")).output, 1);
  const states = { good: /^$/, ...REASONS };
  for (const [name, reason] of Object.entries(states)) {
    const source = await listed(started, name);
    assert.equal(source?.kind, "plugin");
    assert.equal(source?.state, name === "good" ? "healthy" : "unhealthy");
    assert.match(String(source?.reason ?? ""), reason);
  }
});

const REASONS = {
  syntax: /^pinhole\.yaml:\d+ {2}sources\.syntax\.plugin: .*syntax\.ts:3 cannot be loaded: .*Fix it/,
  throws: /throws\.ts:2 cannot be loaded: no database/,
  empty: /empty\.ts has no plugin as its default export\. Write:/,
  name: /nameless/,
  gone: /There is no file .*gone\.ts\. Put the plugin there, or correct the path\./,
};

test("a reload that breaks a plugin keeps the last good version, under what the config says now", async (t) => {
  const { write, sourceOf } = await folderWith(t, { "mine.ts": pluginOf("mine", '"first"') });
  const started = await startConfigured(t, { sources: { mine: sourceOf("mine.ts") } });
  await write("mine.ts", "const a = ;\n");
  await started.configure({ sources: { mine: { ...sourceOf("mine.ts"), title: "Mine" } } });
  assert.equal((await started.call("mine/say")).output, "first");
  const broken = await listed(started, "mine");
  assert.deepEqual([broken?.state, broken?.operations], ["unhealthy", 1]);
  assert.match(
    String(broken?.reason),
    /mine\.ts:1 cannot be loaded: .* The version before it stays in use\./,
  );
  await started.configure({ sources: { mine: { ...sourceOf("mine.ts"), external: [] } } });
  assert.equal((await started.call("mine/say")).error?.code, "NOT_FOUND", "it is internal now");
  await write("mine.ts", pluginOf("mine", '"second"'));
  await started.configure({ sources: { mine: sourceOf("mine.ts") } });
  assert.equal((await started.call("mine/say")).output, "second");
  assert.equal((await listed(started, "mine"))?.state, "healthy");
});

const FETCHING = `
import { defineOperation, definePlugin } from ${CORE};
const run = (name, handler) => defineOperation({ name, type: "query", description: "Runs.", handler });
const tell = (context) => ({ api: context.capabilities.get("API"), token: context.capabilities.get("token") });
export default definePlugin({ name: "mine", operations: [
  run("mine/fetch", async (_, context) => (await context.fetch(globalThis.pinholeTestUrl)).text()),
  run("mine/lengths", (_, context) => Object.fromEntries(Object.entries(tell(context)).map(([k, v]) => [k, v?.length ?? 0]))),
  run("mine/print", (_, context) => { context.log.info("Here", { context: context.capabilities }); return \`\${context.capabilities}\`; }),
] });
`;

test("context.fetch calls this machine only where the config allows it; what fails is an error of the call", async (t) => {
  const server = createServer((request, response) => response.end(request.headers.traceparent ?? "none"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const world = globalThis as { pinholeTestUrl?: string };
  world.pinholeTestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  t.after(() => delete world.pinholeTestUrl);
  const { sourceOf } = await folderWith(t, { "mine.ts": FETCHING });
  const started = await startConfigured(t, { sources: { mine: sourceOf("mine.ts") } });
  const refused = await started.call("mine/fetch");
  assert.equal(refused.error?.code, "UNAVAILABLE");
  assert.match(refused.error?.message ?? "", /an address that this gateway does not call/);
  await started.configure({ sources: { mine: { ...sourceOf("mine.ts"), allowPrivate: true } } });
  assert.equal((await started.call("mine/fetch")).output, "none");
});

test("a plugin gets its secrets by name, and they are in nothing that it prints", async (t) => {
  const { sourceOf, write } = await folderWith(t, { "mine.ts": FETCHING });
  await write("api.key", "a-secret-of-17-chars");
  const file = (name: string) => ({ file: join(dirname(sourceOf("mine.ts").plugin), name) });
  const credentials = { API: file("api.key"), default: file("api.key") };
  const started = await startConfigured(t, { sources: { mine: { ...sourceOf("mine.ts"), credentials } } });
  assert.deepEqual((await started.call("mine/lengths")).output, { api: 20, token: 20 });
  assert.equal((await started.call("mine/print")).output, "[capabilities]");
  assert.ok(!started.logged().includes("a-secret"));
  const missing = { ...credentials, OTHER: { env: "PINHOLE_NOT_SET" } };
  await started.configure({ sources: { mine: { ...sourceOf("mine.ts"), credentials: missing } } });
  assert.match(
    String((await listed(started, "mine"))?.reason),
    /sources\.mine\.credentials\.OTHER: .*PINHOLE_NOT_SET/,
  );
  assert.equal((await started.call("mine/lengths")).error?.code, "NOT_FOUND");
});

test("a reload leaves a plugin whose file is the same as it is, with what it keeps in memory", async (t) => {
  const counting = pluginOf("mine", "++count").replace("export default", "let count = 0;\nexport default");
  const { sourceOf } = await folderWith(t, { "mine.ts": counting });
  const started = await startConfigured(t, { sources: { mine: sourceOf("mine.ts") } });
  assert.equal((await started.call("mine/say")).output, 1);
  await started.configure({ sources: { mine: { ...sourceOf("mine.ts"), title: "Mine" } } });
  assert.equal((await started.call("mine/say")).output, 2);
});

/** A plugin that gives ada the project p1; `asked` counts how often its port was asked for types. */
const owning = (name: string) => `
import { defineOperation, definePlugin } from ${CORE};
let asked = 0;
const project = (action) => ({ resource: { type: "project", action, idPath: "/id" } });
const inputSchema = { type: "object", properties: { id: { type: "string" } } };
export default definePlugin({
  name: "${name}",
  operations: [
    defineOperation({ name: "${name}/read", type: "query", description: "Reads a project.", inputSchema,
      access: project("read"), handler: ({ id }) => id }),
    defineOperation({ name: "${name}/asked", type: "query", description: "Counts.", handler: () => asked }),
  ],
  ownership: {
    decides: ["project"],
    types: (identity) => (asked++, identity.id === "ada" ? ["project"] : []),
    owns: (identity, { id }) => identity.id === "ada" && id === "p1",
    list: () => [],
  },
});
`;

test("a plugin's ownership holds in a gateway, until a reload takes away what was kept or the plugin itself", async (t) => {
  const { sourceOf } = await folderWith(t, { "own.ts": owning("own"), "other.ts": owning("other") });
  const hashOf = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const identities = ["ada", "bob"].map((id) => ({
    id,
    tokenHash: hashOf(`token-of-${id}`),
    scopes: ["operator"],
  }));
  const config = { identities, sources: { own: sourceOf("own.ts") } };
  const started = await startConfigured(t, config);
  const as = (id: string) => ({ headers: { authorization: `Bearer token-of-${id}` } });
  const read = async (who: string, id: string) => {
    const { output, error } = await started.call("own/read", { id }, as(who));
    return output ?? error?.code;
  };
  assert.deepEqual(
    [await read("ada", "p1"), await read("ada", "p2"), await read("bob", "p1")],
    ["p1", "FORBIDDEN", "FORBIDDEN"],
  );
  assert.equal((await started.call("own/asked", {}, as("ada"))).output, 2, "once for each of the two");
  await started.configure({ ...config, deny: ["nothing/*"] });
  assert.equal((await started.call("own/asked", {}, as("ada"))).output, 3, "a reload drops what was kept");

  await started.configure({
    ...config,
    sources: { ...config.sources, other: sourceOf("other.ts") },
    deny: [],
  });
  const { output } = await started.call("sources/list", {}, as("ada"));
  const other = (output as { sources: { name: string; reason?: string }[] }).sources.find(
    ({ name }) => name === "other",
  );
  assert.match(String(other?.reason), /"own" and "other" both decide who has which project/);
  assert.equal(await read("ada", "p1"), "p1");
});

test("an edit of a plugin or of its helper is taken without a change of the config; a broken one leaves the version before it", async (t) => {
  const plain = (answer: string) =>
    `export default { name: "mine", operations: [{ name: "mine/say", type: "query", description: "Says it.", handler: () => ${answer} }] };`;
  const { write, sourceOf } = await folderWith(t, {
    "mine.ts": `import { word } from "./word.ts";\n${plain("word")}`,
    "word.ts": 'export const word = "first";',
  });
  const started = await startConfigured(t, { sources: { mine: sourceOf("mine.ts") } }, { watch: true });
  const { registry } = started.gateway;
  const change = () =>
    new Promise<void>((resolve) => {
      const stop = registry.onChange(() => {
        stop();
        resolve();
      });
    });
  assert.equal((await started.call("mine/say")).output, "first");
  const edited = change();
  await write("word.ts", 'export const word = "second";');
  await edited;
  assert.equal((await started.call("mine/say")).output, "second");
  await write("word.ts", "export const word = ;");
  await started.gateway.reload();
  assert.match(String((await listed(started, "mine"))?.reason), /word\.ts:1 .*stays in use/);
  assert.equal((await started.call("mine/say")).output, "second");
  const repaired = change();
  await write("mine.ts", plain('"third"'));
  await repaired;
  assert.equal((await started.call("mine/say")).output, "third");
});

test("a plugin is closed when another version has taken its place and when the gateway stops, not at a reload that keeps it", async (t) => {
  const closing = (version: string, close: string) => `
export default {
  name: "mine",
  operations: [{ name: "mine/say", type: "query", description: "Says it.", handler: () => "${version}" }],
  close: () => { globalThis.pinholeTestClosed.push("${version}"); ${close} },
};`;
  const closed: string[] = [];
  Object.assign(globalThis, { pinholeTestClosed: closed });
  const { write, sourceOf } = await folderWith(t, { "mine.ts": closing("first", "") });
  const started = await startConfigured(t, { sources: { mine: sourceOf("mine.ts") } });
  await started.configure({ sources: { mine: { ...sourceOf("mine.ts"), title: "Mine" } } });
  assert.equal((await started.call("mine/say")).output, "first");
  await write("mine.ts", closing("second", 'throw new Error("cannot")'));
  await started.gateway.reload();
  assert.equal((await started.call("mine/say")).output, "second");
  assert.deepEqual(closed, [], "calls may still run");
  await started.gateway.close();
  assert.deepEqual(closed.sort(), ["first", "second"]);
  assert.match(started.logged(), /A plugin did not close.*cannot/);
});

test("a plugin gets the options of its source; a wrong one is told with its line", async (t) => {
  const { sourceOf } = await folderWith(t, {
    "city.ts": `
export const optionsSchema = {
  type: "object", additionalProperties: false, required: ["city"],
  properties: { city: { type: "string" }, unit: { enum: ["C", "F"], default: "C" } },
};
export default ({ city, unit }) => ({
  name: city,
  operations: [{ name: city + "/unit", type: "query", description: "Says it.", handler: () => unit }],
});`,
    "none.ts": pluginOf("none", "1"),
  });
  const city = (options: object) => ({ ...sourceOf("city.ts"), options });
  const sources = {
    oslo: city({ city: "oslo" }),
    rome: city({ city: "rome", unit: "F" }),
    wrong: city({ city: "bonn", unit: "K" }),
    none: { ...sourceOf("none.ts"), options: { a: 1 } },
  };
  const started = await startConfigured(t, { sources });
  assert.equal((await started.call("oslo/unit")).output, "C");
  assert.equal((await started.call("rome/unit")).output, "F");
  const reason = async (name: string) => String((await listed(started, name))?.reason);
  assert.match(await reason("wrong"), /^pinhole\.yaml:15 {2}sources\.wrong\.options\.unit: expected .*"C"/);
  assert.match(await reason("none"), /sources\.none\.options\.a: the plugin takes no options\. Remove them/);
  await started.configure({ sources: { ...sources, wrong: city({ city: "bonn" }) } });
  assert.equal((await started.call("bonn/unit")).output, "C");
});
