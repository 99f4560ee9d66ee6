import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startConfig } from "../support/config-gateway.ts";
import { CLIENTS } from "../support/mcp-clients.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
/** Output schemas that clients read differently, and ones that answers without structured content fit. */
const SHAPES = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const object = (properties, rest = {}) => ({ $schema, type: "object", properties, required: Object.keys(properties), ...rest });
  const make = (name, outputSchema, answer, rest = {}) =>
    defineOperation({ name: "shapes/" + name, type: "query", description: "Answers.", outputSchema, handler: () => answer, ...rest });
  export default definePlugin({ name: "shapes", operations: [
    make("plain", object({ id: { type: "integer" } }, { additionalProperties: false }), { id: 1 }),
    make("format", object({ at: { type: "string", format: "date-time" } }), { at: "yesterday" }),
    make("referred", object({ item: { $ref: "#/$defs/item" } }, { $defs: { item: { type: "string" } } }), { item: "x" }),
    make("tuple", object({ pair: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } } }), { pair: ["x", 1] }),
    make("patterned", object({}, { patternProperties: { "^x-": {} }, additionalProperties: false }), { "x-a": 1 }),
    make("wrong", object({ id: { type: "integer" } }), { id: "one" }),
    make("write", object({ id: { type: "integer" } }), { id: 1 }, { type: "mutation" }),
    make("content", { type: "object" }, { content: [{ type: "text", text: "hi" }] }),
    make("list", { type: "array" }, [1]),
  ] });`;

async function start(t: TestContext, outputValidation: string, mutations: string) {
  const started = await startConfig(t);
  await writeFile(join(started.directory, "shapes.ts"), SHAPES);
  await started.reload({
    sources: { shapes: { plugin: "./shapes.ts", public: true } },
    limits: { outputValidation },
    facets: { shapes: { operations: ["shapes/*"], mutations } },
    mcp: { expose: ["core", "shapes"] },
  });
  return started;
}

type Listed = readonly { readonly name: string; readonly outputSchema?: unknown }[];

for (const [client, connect] of Object.entries(CLIENTS))
  for (const mutations of ["allow", "dry"])
    test(`${client}: tools with output schemas are listed and then called without a refusal, mutations ${mutations}`, async (t) => {
      const { mcpUrl } = await start(t, "enforce", mutations);
      const connected = await connect(mcpUrl);
      t.after(() => connected.close());
      const tools = ((await connected.list()) as Listed).filter(({ name }) => name.startsWith("shapes_"));
      const withSchema = tools.filter(({ outputSchema }) => outputSchema).map(({ name }) => name);
      const named = ["format", "patterned", "plain", "referred", "tuple", "write", "wrong"];
      assert.deepEqual(
        withSchema,
        named.map((name) => `shapes_${name}`),
      );
      assert.equal(tools.length, 9);
      for (const { name } of tools) {
        const { isError, structuredContent } = await connected.call(name);
        assert.equal(isError === true, name === "shapes_wrong", name);
        if (name === "shapes_write") assert.equal("dryRun" in (structuredContent ?? {}), mutations === "dry");
      }
    });

test("without enforced outputs no output schema is listed", async (t) => {
  const { mcpUrl } = await start(t, "warn", "allow");
  const connected = await (CLIENTS["SDK 1"] as NonNullable<(typeof CLIENTS)[string]>)(mcpUrl);
  t.after(() => connected.close());
  assert.ok(((await connected.list()) as Listed).every(({ outputSchema }) => outputSchema === undefined));
  assert.deepEqual((await connected.call("shapes_wrong")).structuredContent, { id: "one" });
});
