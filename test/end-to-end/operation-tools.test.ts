import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createRuntime, defineOperation, definePlugin, RegistrationError } from "pinhole/core";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { answerOf, postModern } from "../support/mcp-wire.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
const ISSUES = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const inputSchema = { type: "object", properties: { title: { type: "string" }, labels: { type: "array" } }, required: ["title"] };
  export default definePlugin({ name: "issues", operations: [
    defineOperation({ name: "issues/create", type: "mutation", description: "Creates an issue.", inputSchema,
      tools: { "bugs/create": { description: "Reports a bug.", input: { labels: ["bug"] } } },
      handler: (input) => input }),
  ] });`;

async function start(t: TestContext, config: object) {
  const started = await startConfig(t);
  await writeFile(join(started.directory, "issues.ts"), ISSUES);
  await started.reload({ ...config, sources: { issues: { plugin: "./issues.ts", public: true } } });
  const ask = async (method: string, params: Record<string, unknown>, path = "") =>
    answerOf(await postModern(new URL(`${started.mcpUrl.href}${path}`), method, params)).then(
      ({ result, error }) => JSON.stringify(result ?? error),
    );
  return { ...started, ask };
}

test("a tool that an operation declares is listed in the facets that hold the operation, and runs on every wire", async (t) => {
  const { ask, url } = await start(t, { facets: { issues: ["issues/*"], notes: ["notes/*"] } });
  assert.doesNotMatch(await ask("tools/list", {}), /bugs/);
  assert.doesNotMatch(await ask("tools/list", {}, "/notes"), /bugs/);
  assert.match(await ask("tools/list", {}, "/issues"), /issues_create.*bugs_create.*Reports a bug/);
  const bug = /title.*broken.*labels.*bug/;
  const called = { name: "bugs_create", arguments: { title: "broken" } };
  assert.match(await ask("tools/call", called, "/issues"), bug);
  const wanted = { operation: "bugs/create", input: { title: "broken" } };
  assert.match(await (await postJson(`${url}/call`, wanted)).text(), bug);
  assert.match(await ask("tools/call", { name: "call", arguments: wanted }, "/notes"), /NOT_FOUND/);
});

test("the config wins over a tool of an operation, and deny ends it", async (t) => {
  const facets = {
    issues: { tools: { "bugs/create": { operation: "notes/add" } }, operations: ["issues/*"] },
  };
  const { ask } = await start(t, { facets });
  assert.match(await ask("tools/list", {}, "/issues"), /bugs_create","description":"Adds a note/);
  const denied = await start(t, { facets: { issues: ["issues/*"] }, deny: ["bugs/create"] });
  assert.match(await denied.ask("tools/list", {}, "/issues"), /issues_create/);
  assert.doesNotMatch(await denied.ask("tools/list", {}, "/issues"), /bugs/);
});

test("tools of operations that cannot work, or share a name, are refused with the reason", () => {
  const inputSchema = { type: "object", properties: { a: {} }, additionalProperties: false } as const;
  const rest = { type: "query", description: "Answers.", inputSchema, handler: () => 1 } as const;
  const refuses = (operations: Parameters<typeof definePlugin>[0]["operations"], message: RegExp) =>
    assert.throws(
      () => createRuntime({ sources: [definePlugin({ name: "demo", operations })] }),
      (error) => error instanceof RegistrationError && message.test(error.message),
    );
  const one = (tools: object) => defineOperation({ ...rest, name: "demo/one", tools: tools as never });
  refuses([one({ plain: {} })], /demo\/one.*plain.*is not of the form namespace\/name/);
  refuses([one({ "services/x": {} })], /namespace services/);
  refuses([one({ "x/y": { pick: ["b"] } })], /demo\/one has no argument b to pick/);
  refuses([one({ "x/y": { picks: [] } })], /unknown key "picks"/);
  refuses([one({ "x/y": { pick: "a" } })], /its pick is not a list of texts/);
  refuses([one({ "x/y": { input: { a: 1 }, pick: ["a"] } })], /a is fixed by input/);
  const two = defineOperation({ ...rest, name: "demo/two", tools: { "x/y": {} } });
  refuses([one({ "x/y": {} }), two], /"x\/y" is a tool of demo\/one and of demo\/two/);
});
