import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_SCHEMA } from "../adapters/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import type { SchemaNode } from "./config-type.ts";
import { withDefaults } from "./defaults.ts";
import type { Config, SecretReference } from "./schema.ts";

/** Every key of the schema with its way to it. */
function keysIn(node: SchemaNode, path = ""): readonly (readonly [path: string, node: SchemaNode])[] {
  const parts = Object.entries(node.properties ?? {}).flatMap(([key, part]) => [
    [`${path}.${key}`, part] as const,
    ...keysIn(part, `${path}.${key}`),
  ]);
  const rest = [node.additionalProperties, node.items].flatMap((part) =>
    part ? keysIn(part, `${path}.*`) : [],
  );
  return [...parts, ...rest];
}

test("every key of the configuration has a description that is a sentence", () => {
  const keys = keysIn(CONFIG_SCHEMA);
  assert.ok(keys.length > 30);
  assert.deepEqual(
    keys.filter(([, { description = "" }]) => !/^\S.*\.$/.test(description)).map(([path]) => path),
    [],
  );
});

test("every default fits its own part of the schema, and all of them together fit the whole", () => {
  const validator = createSchemaValidator();
  for (const [path, node] of keysIn(CONFIG_SCHEMA)) {
    if ("default" in node) assert.deepEqual(validator.check(node, node.default), [], path);
  }
  assert.deepEqual(validator.check(CONFIG_SCHEMA, withDefaults(CONFIG_SCHEMA, {})), []);
});

test("every key is optional at the top and in its section", () => {
  assert.deepEqual(createSchemaValidator().check(CONFIG_SCHEMA, {}), []);
});

test("no object takes unknown keys, except the names of a plugin's secrets", () => {
  const objects = keysIn(CONFIG_SCHEMA).filter(([, { properties }]) => properties);
  assert.deepEqual(
    objects.filter(([, { additionalProperties }]) => additionalProperties !== false).map(([path]) => path),
    [".sources.*.credentials"],
  );
});

test("no two keys share a flag", () => {
  const flags = keysIn(CONFIG_SCHEMA).flatMap(([, { flag = [] }]) => flag);
  assert.deepEqual(flags, [...new Set(flags)]);
  assert.deepEqual(flags, ["port", "host", "facet"]);
});

test("the type of a configuration follows the schema", () => {
  const config = withDefaults(CONFIG_SCHEMA, {}) as Config;
  const port: number = config.server.port;
  const level: "debug" | "info" | "warn" | "error" = config.log.level;
  const stateKey: SecretReference | undefined = config.server.stateKey;
  const title: string | undefined = config.sources.pets?.title;
  const scopes: readonly string[] | undefined = config.identities[0]?.scopes;
  const actions: readonly string[] | undefined = config.identities[0]?.resources?.["repo:*"];
  assert.deepEqual([port, level], [7464, "info"]);
  assert.deepEqual([stateKey, title, scopes, actions], [undefined, undefined, undefined, undefined]);
  // @ts-expect-error: a configuration is not changed, and has no other keys.
  assert.throws(() => (config.server.prot = 1), TypeError);
});
