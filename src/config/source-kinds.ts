import { isRecord, nearest } from "../core/index.ts";
import type { BrokenRule } from "./config-error.ts";
import type { SchemaNode } from "./config-type.ts";
import type { SourceConfig } from "./source-keys.ts";

/** As much of a kind of source as the config must know. The key that makes a source one of a kind has its name. */
export interface KindOfSource {
  readonly kind: string;
  /** The keys of such a source, as JSON Schema. */
  readonly keys: Readonly<Record<string, SchemaNode>>;
  /** Rules that the keys cannot express; `keys` of what is broken are those below the source. */
  rules(source: SourceConfig, sources: Readonly<Record<string, SourceConfig>>): readonly BrokenRule[];
}

/** The kinds of source that a config can name, by their names. */
export type SourceKinds = Readonly<Record<string, KindOfSource>>;

/** The schema of one source, of whatever kind. */
export function sourceSchema(kinds: SourceKinds): SchemaNode {
  const schemas = Object.values(kinds).map(({ kind, keys }): readonly [string, SchemaNode] => [
    kind,
    { type: "object", properties: keys, required: [kind], additionalProperties: false },
  ]);
  const all = schemas.map(([, schema]) => schema).reduceRight(merged, {});
  // The keys of all kinds, by which each value is checked; foreignKeys checks that a source has those of its kind only.
  return {
    type: "object",
    properties: all.properties ?? {},
    additionalProperties: false,
    kinds: Object.fromEntries(schemas),
  };
}

/** Takes what either of two schemas takes, as far as keys go. */
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

/** The kinds that a source as it is written could be of; exactly one of them makes it clear. */
export function kindsOf(source: Readonly<Record<string, unknown>>, kinds: object): readonly string[] {
  return Object.keys(kinds).filter((kind) => source[kind] !== undefined);
}

/**
 * Keys of sources that exist, but not for the kind of that source. They would have no effect, and some of them
 * promise protection. `config` is as it was written, without defaults.
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

/** The part of a kind's schema that is about a place within a source. */
function schemaAt(schema: SchemaNode | undefined, [, , ...inner]: readonly string[]): SchemaNode | undefined {
  let node = schema;
  for (const key of inner) {
    const { properties = {}, additionalProperties }: SchemaNode = node ?? {};
    node = Object.hasOwn(properties, key) ? properties[key] : additionalProperties || undefined;
  }
  return node;
}
