import { isRecord, nearest } from "../core/index.ts";
import type { BrokenRule } from "./broken-rule.ts";
import type { SchemaNode } from "./config-type.ts";
import { SOURCE_KINDS } from "./source-schema.ts";

/** The kinds of source, each named by the key that makes a source one of it. */
export type KindOfSource = keyof typeof SOURCE_KINDS;

const KINDS = Object.keys(SOURCE_KINDS) as readonly KindOfSource[];

/** The kinds that a source as it is written could be of; exactly one of them makes it clear. */
export function kindsOf(source: Readonly<Record<string, unknown>>): readonly KindOfSource[] {
  return KINDS.filter((kind) => source[kind] !== undefined);
}

/**
 * Keys of sources that there are, but not for the kind of that source. They would have no effect, and some of them
 * promise protection. `config` is as it was written, without defaults.
 */
export function foreignKeys(config: unknown): readonly BrokenRule[] {
  const sources = isRecord(config) && isRecord(config.sources) ? config.sources : {};
  return Object.entries(sources).flatMap(([name, source]) => {
    if (!isRecord(source)) return [];
    const [kind, ...others] = kindsOf(source);
    if (kind === undefined || others.length > 0) return [];
    return foreignIn(source, kind, ["sources", name]);
  });
}

function foreignIn(value: unknown, kind: KindOfSource, keys: readonly string[]): readonly BrokenRule[] {
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties } = schemaAt(kind, keys) ?? {};
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...keys, key];
    if (hasKey({ properties, additionalProperties: additionalProperties || false }, key))
      return foreignIn(inner, kind, path);
    const others = KINDS.filter((other) => hasKey(schemaAt(other, keys), key));
    // A key that no kind has is told of by the schema of all.
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
function schemaAt(kind: KindOfSource, [, , ...inner]: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = SOURCE_KINDS[kind];
  for (const key of inner) {
    const { properties = {}, additionalProperties }: SchemaNode = node ?? {};
    node = Object.hasOwn(properties, key) ? properties[key] : additionalProperties || undefined;
  }
  return node;
}
