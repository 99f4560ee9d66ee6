import { isRecord, nearest } from "../core/index.ts";
import type { BrokenRule } from "./config-error.ts";
import type { SchemaNode } from "./config-type.ts";
import type { SourceConfig } from "./keys/sources.ts";

/** A kind of source, as far as the config needs it. The key that selects the kind has its name. */
export interface KindOfSource {
  readonly kind: string;
  /** Keys of such a source, as JSON Schema. */
  readonly keys: Readonly<Record<string, SchemaNode>>;
  /** Rules that the keys cannot express; `keys` in the answer are relative to the source. */
  rules(source: SourceConfig, sources: Readonly<Record<string, SourceConfig>>): readonly BrokenRule[];
}

/** The kinds of source that a config can name, by their names. */
export type SourceKinds = Readonly<Record<string, KindOfSource>>;

/** Schema of a source of any kind. */
export function sourceSchema(kinds: SourceKinds): SchemaNode {
  const schemas = Object.values(kinds).map(({ kind, keys }): readonly [string, SchemaNode] => [
    kind,
    { type: "object", properties: keys, required: [kind], additionalProperties: false },
  ]);
  const all = schemas.map(([, schema]) => schema).reduceRight(merged, {});
  // Values are checked by the keys of all kinds; foreignKeys checks that a source has only those of its kind.
  return {
    type: "object",
    properties: all.properties ?? {},
    additionalProperties: false,
    kinds: Object.fromEntries(schemas),
  };
}

/** Union of the keys of two schemas. */
function merged(one: SchemaNode, other: SchemaNode): SchemaNode {
  const names = new Set([...Object.keys(one.properties ?? {}), ...Object.keys(other.properties ?? {})]);
  const properties = [...names].map((name) => [
    name,
    either(one.properties?.[name], other.properties?.[name]),
  ]);
  const additionalProperties = either(one.additionalProperties, other.additionalProperties);
  return {
    ...one,
    ...other,
    ...(names.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}

function either<Part extends false | SchemaNode | undefined>(one: Part, other: Part): Part {
  return one && other ? (merged(one, other) as Part) : one || other;
}

/** Kinds whose key a source has; a valid source has exactly one. */
export function kindsOf(source: Readonly<Record<string, unknown>>, kinds: object): readonly string[] {
  return Object.keys(kinds).filter((kind) => source[kind] !== undefined);
}

/**
 * Finds keys that exist, but not for the kind of their source. They would have no effect, and some of them
 * promise protection. `config` is the content of the file, without defaults.
 */
export function foreignKeys(config: unknown, kinds: SourceKinds): readonly BrokenRule[] {
  const sources = isRecord(config) && isRecord(config.sources) ? config.sources : {};
  const schemas = sourceSchema(kinds).kinds ?? {};
  return Object.entries(sources).flatMap(([name, source]) => {
    if (!isRecord(source)) return [];
    const [kind, ...others] = kindsOf(source, kinds);
    if (kind === undefined || others.length > 0) return [];
    return foreignIn(source, { kind, schemas, keys: ["sources", name] });
  });
}

interface Place {
  readonly kind: string;
  readonly schemas: Readonly<Record<string, SchemaNode>>;
  readonly keys: readonly string[];
}

function foreignIn(value: unknown, { kind, schemas, keys }: Place): readonly BrokenRule[] {
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties } = schemaAt(schemas[kind], keys) ?? {};
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...keys, key];
    if (hasKey({ properties, additionalProperties: additionalProperties || false }, key))
      return foreignIn(inner, { kind, schemas, keys: path });
    const others = Object.keys(schemas).filter((other) => hasKey(schemaAt(schemas[other], keys), key));
    // Validation reports a key that no kind has.
    if (others.length === 0) return [];
    const [close] = nearest(key, Object.keys(properties), 1);
    const hint = close === undefined ? "Remove it." : `Remove it, or did you mean ${close}?`;
    const message = `a source of the kind ${kind} has no such key; ${others.join(" and ")} ${others.length === 1 ? "has" : "have"} it. ${hint}`;
    return [{ keys: path, message }];
  });
}

function hasKey({ properties = {}, additionalProperties }: SchemaNode = {}, key: string): boolean {
  return Object.hasOwn(properties, key) || Boolean(additionalProperties);
}

/** The part of a kind's schema for a place within a source. */
function schemaAt(schema: SchemaNode | undefined, [, , ...inner]: readonly string[]): SchemaNode | undefined {
  let node = schema;
  for (const key of inner) {
    const { properties = {}, additionalProperties }: SchemaNode = node ?? {};
    node = Object.hasOwn(properties, key) ? properties[key] : additionalProperties || undefined;
  }
  return node;
}
