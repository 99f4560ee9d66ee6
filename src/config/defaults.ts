import { isRecord } from "../core/index.ts";
import type { SchemaNode } from "./config-type.ts";
import { kindsOf } from "./source-kinds.ts";

/** A frozen copy of a valid value, with the defaults of the schema for missing keys. */
export function withDefaults(schema: SchemaNode, given: unknown): unknown {
  const value = given === undefined ? schema.default : given;
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item) => withDefaults(schema.items ?? {}, item)));
  }
  if (!isRecord(value)) return value;
  if (schema.kinds) return withKind(schema.kinds, value);
  const { properties = {}, additionalProperties } = schema;
  const partOf = (name: string) =>
    Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  const names = new Set([...Object.keys(properties), ...Object.keys(value)]);
  const entries = [...names]
    .map((name) => [name, withDefaults(partOf(name) || {}, value[name])] as const)
    .filter(([, part]) => part !== undefined);
  return Object.freeze(Object.fromEntries(entries));
}

/** The rules refuse a source without a clear kind, so its defaults do not matter. */
function withKind(
  kinds: Readonly<Record<string, SchemaNode>>,
  value: Readonly<Record<string, unknown>>,
): unknown {
  const [kind = ""] = kindsOf(value, kinds);
  return Object.freeze({ kind, ...(withDefaults(kinds[kind] ?? {}, value) as object) });
}
