import { atPointer, isRecord, nearest, type SchemaProblem } from "../core/index.ts";
import type { SchemaNode } from "./config-type.ts";

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The keys and indices of an RFC 6901 pointer. */
export function keysOfPointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Keys and indices in the usual notation: `identities[0].tokenHash`. */
export function showPath(keys: readonly string[]): string {
  return keys
    .map((key) =>
      /^\d+$/.test(key) ? `[${key}]` : PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    )
    .join("")
    .replace(/^\./, "");
}

/** Explains a wrong value and what to do about it; never repeats a sensitive value. */
export function explainProblem(problem: SchemaProblem, config: unknown, schema: SchemaNode): string {
  const keys = keysOfPointer(problem.path);
  const { nodes, unknownIn } = nodesAlong(keys, schema);
  if (unknownIn) return `unknown key; ${hintFor(keys.at(-1) ?? "", unknownIn)}`;
  const sentence = `expected ${problem.expected}, found ${actualOf(problem, config, nodes)}`;
  const advice = nodes.findLast((node) => node.advice !== undefined)?.advice;
  return advice === undefined ? sentence : `${sentence}. ${advice}`;
}

/** The parts of the schema along a path; `unknownIn` is the last of them if it has no such key. */
function nodesAlong(
  keys: readonly string[],
  schema: SchemaNode,
): {
  readonly nodes: readonly SchemaNode[];
  readonly unknownIn?: SchemaNode;
} {
  let node = schema;
  const nodes = [node];
  for (const [index, key] of keys.entries()) {
    const next = partOf(node, key);
    if (!next) {
      const isUnknown = node.additionalProperties === false && index === keys.length - 1;
      return isUnknown ? { nodes, unknownIn: node } : { nodes };
    }
    node = next;
    nodes.push(node);
  }
  return { nodes };
}

function partOf(
  { properties = {}, additionalProperties, items }: SchemaNode,
  key: string,
): SchemaNode | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  return additionalProperties || items;
}

function hintFor(key: string, { properties = {}, retired = {} }: SchemaNode): string {
  if (Object.hasOwn(retired, key)) return String(retired[key]);
  const known = Object.keys(properties);
  const [close] = nearest(key, known, 1);
  return close === undefined ? `known here are ${known.join(", ")}` : `did you mean ${close}?`;
}

function actualOf({ path, actual }: SchemaProblem, config: unknown, nodes: readonly SchemaNode[]): string {
  const value = atPointer(config, path);
  if (value === null) return "nothing after the colon";
  return nodes.some((node) => node.sensitive) ? kindOf(value) : actual;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
