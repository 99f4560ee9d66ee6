import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { CallError, type SourceSet } from "../../core/index.ts";
import { PluginModules } from "./plugins.ts";

type Files = Readonly<Record<string, string>>;

/** A folder outside of this repository, and a loader of its plugins. */
async function folderWith(t: TestContext, files: Files) {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-plugin-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = async (texts: Files) => {
    for (const [name, text] of Object.entries(texts)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  };
  await write(files);
  const plugins = new PluginModules();
  return { write, plugins, path: (name: string) => join(folder, name), load: load(plugins, folder) };
}

const load = (plugins: PluginModules, folder: string) => (name: string) =>
  plugins.load({ path: join(folder, name) });

/** The answer of the first operation of a set. */
function answerOf({ registrations }: SourceSet): unknown {
  return registrations[0]?.handler.run({}, undefined as never);
}

const SAYS = (answer: string) => `
export default {
  name: "mine",
  operations: [{ name: "mine/say", type: "query", description: "Says it.", handler: () => ${answer} }],
};
`;

const IMPORTING = `
import { CallError, defineOperation, definePlugin } from "pinhole/core";
const say = defineOperation({ name: "mine/say", type: "query", description: "Says it.", handler: () => CallError });
export default definePlugin({ name: "mine", operations: [say] });
`;

test("a plugin in any folder imports pinhole/core and gets that of the running gateway", async (t) => {
  const { load } = await folderWith(t, {
    "a.ts": IMPORTING,
    "b.mjs": IMPORTING,
    "own/c.ts": IMPORTING,
    "own/node_modules/pinhole/package.json": '{ "name": "pinhole", "exports": { "./core": "./core.js" } }',
    "own/node_modules/pinhole/core.js": "export {};",
    "d.cjs":
      'const { CallError } = require("pinhole/core");\nmodule.exports = { name: "mine", operations: [{ name: "mine/say", type: "query", description: "Says it.", handler: () => CallError }] };',
    "e.ts": `${SAYS("CallError")}import { CallError } from "helper";`,
    "node_modules/helper/package.json": '{ "name": "helper", "type": "module", "exports": "./index.js" }',
    "node_modules/helper/index.js": 'export { CallError } from "pinhole/core";',
  });
  for (const name of ["a.ts", "b.mjs", "own/c.ts", "d.cjs", "e.ts"])
    assert.equal(answerOf(await load(name)), CallError, name);
});

test("a plain object without any import is a plugin", async (t) => {
  const { load } = await folderWith(t, {
    "plain.js": SAYS("42").replace("operations", 'description: "Mine.", operations'),
  });
  const set = await load("plain.js");
  assert.equal(answerOf(set), 42);
  assert.deepEqual(set.source, { name: "mine", description: "Mine." });
  assert.equal(set.registrations[0]?.spec.visibility, "external");
});

test("an edit of a helper module, at any depth, loads the plugin again", async (t) => {
  const { load, write } = await folderWith(t, {
    "a.ts": `import { first } from "./lib/one.ts";\n${SAYS("first()")}`,
    "lib/one.ts":
      'import { two } from "../two.ts";\nimport three from "../three.cjs";\nexport const first = () => [two, three];',
    "two.ts": "export const two: number = 1;",
    "three.cjs": "module.exports = require('./four.cjs');",
    "four.cjs": "module.exports = 1;",
  });
  const before = await load("a.ts");
  assert.deepEqual(answerOf(before), [1, 1]);
  assert.equal(await load("a.ts"), before, "nothing has changed");
  await write({ "two.ts": "export const two: number = 2;" });
  assert.deepEqual(answerOf(await load("a.ts")), [2, 1]);
  await write({ "four.cjs": "module.exports = 2;" });
  assert.deepEqual(answerOf(await load("a.ts")), [2, 2]);
  assert.deepEqual(answerOf(before), [1, 1], "calls that run keep the version they started with");
});

test("the files of a plugin are known, also those that do not load or are not there", async (t) => {
  const { load, plugins, path, write } = await folderWith(t, {
    "a.ts": `import "./bad.ts";\n${SAYS("1")}`,
    "bad.ts": "const a = ;",
  });
  await assert.rejects(load("a.ts"), /bad\.ts:1 cannot be loaded/);
  assert.deepEqual(plugins.filesOf({ path: path("a.ts") }), [path("a.ts"), path("bad.ts")]);
  await write({ "bad.ts": 'import "./gone.ts";' });
  await assert.rejects(load("a.ts"), /gone\.ts/);
  assert.deepEqual(plugins.filesOf({ path: path("a.ts") }), [path("a.ts"), path("bad.ts"), path("gone.ts")]);
  await write({ "gone.ts": "export {};" });
  assert.equal(answerOf(await load("a.ts")), 1);
});

/** Files that do not load, and the message about each. */
const BROKEN: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  "syntax.ts": ["\n\nconst a = => 1;", /syntax\.ts:3 cannot be loaded: .*\. Fix it and save it\.$/],
  "syntax.mjs": ["\nconst a = => 1;", /syntax\.mjs:2 cannot be loaded: Unexpected token '=>'\. Fix it/],
  "enum.ts": ["\nexport enum A { B }", /enum\.ts:2 .*enum.* as const.* compile/],
  "class.ts": [
    "class A { constructor(private x: number) {} }",
    /class\.ts:1 .*parameter property.*Declare the field.* compile/,
  ],
  "space.ts": ["namespace A { export const b = 1; }", /space\.ts:1 .*namespace.* module .* compile/],
  "package.ts": [
    '\nimport "no-such-package";',
    /package\.ts cannot be loaded: .*no-such-package.* npm install no-such-package/,
  ],
  "ending.ts": ['import "./enum";', /ending\.ts cannot be loaded: .* Write .* its ending/],
  "export.ts": ['\nimport { nothing } from "pinhole/core";', /export\.ts:2 cannot be loaded: .*'nothing'/],
  "common/a.ts": ['import "node:fs";\nexport default 1;', /a\.ts.* cannot be loaded: .* "type": "module"/],
  "typo.js": [
    SAYS("1").replace("description", "descripton"),
    /typo\.js: .*mine\/say.* descripton.* description/,
  ],
  "nothing.js": [
    "export const a = 1;",
    /nothing\.js has no plugin as its default export\. Write: export default \{/,
  ],
  "key.js": [SAYS("1").replace("operations", "operation"), /key\.js: .* operation.* operations/],
  "list.js": ["export default { name: 'mine', operations: {} };", /list\.js: .*operations.* list/],
  "handler.js": [SAYS("1").replace("handler: () => 1", ""), /handler\.js: .*mine\/say.*handler/],
};

test("a plugin that does not load is told by file, line and what to do", async (t) => {
  const texts = Object.entries(BROKEN).map(([name, [text]]) => [name, text]);
  const { load } = await folderWith(t, {
    ...Object.fromEntries(texts),
    "common/package.json": '{ "type": "commonjs" }',
  });
  for (const [name, [, message]] of Object.entries(BROKEN)) {
    await assert.rejects(load(name), { message });
  }
});
