import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { ROOT } from "../../test/support/source-files.ts";
import { editorSchema } from "../adapters/index.ts";

test("pinhole.schema.json is generated from the schema of the configuration", () => {
  const file = JSON.parse(readFileSync(join(ROOT, "pinhole.schema.json"), "utf8"));
  assert.deepEqual(
    file,
    JSON.parse(JSON.stringify(editorSchema())),
    "pinhole.schema.json is stale. Refresh it: node src/cli/main.ts config-schema > pinhole.schema.json && npx biome format --write pinhole.schema.json",
  );
});

test("the schema for editors is strict, fits its version, and has no keywords of our own", () => {
  const schema = editorSchema();
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false });
  const fits = ajv.compile(schema);
  assert.equal(fits({ server: { port: 7464 }, sources: { a: { plugin: "./a.ts" } } }), true);
  assert.equal(fits({ server: { prot: 7464 } }), false);
  assert.doesNotMatch(JSON.stringify(schema), /"(?:flag|sensitive|advice)":/);
});

test("every key of the schema for editors has a description", () => {
  const silent: string[] = [];
  const walk = (schema: Readonly<Record<string, unknown>>, path: string) => {
    for (const [name, part] of Object.entries(
      (schema.properties ?? {}) as Record<string, Record<string, unknown>>,
    )) {
      if (typeof part.description !== "string") silent.push(`${path}${name}`);
      walk(part, `${path}${name}.`);
    }
    for (const inner of [schema.additionalProperties, schema.items])
      if (typeof inner === "object" && inner !== null) walk(inner as Record<string, unknown>, `${path}*.`);
  };
  walk(editorSchema(), "");
  assert.deepEqual(silent, []);
});
