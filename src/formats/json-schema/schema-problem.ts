import { isRecord, pointerTo, type UnknownRecord } from "../../core/index.ts";
import {
  HOLDS_DEFINITIONS,
  HOLDS_LIST,
  HOLDS_NAMED,
  HOLDS_ONE,
  SchemaDocument,
  type SchemaResource,
} from "./document.ts";

const MAX_PARTS = 200_000;
const TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"];

/** The expected value of a keyword, in words and as a check. */
interface Shape {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

const SCHEMA: Shape = { fits: isSchema, wanted: "a schema" };
const NAMED: Shape = { fits: isRecord, wanted: "an object with a schema for each name" };
const TEXTS: Shape = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  wanted: "a list of texts",
};
const NUMBER: Shape = { fits: (value) => typeof value === "number", wanted: "a number" };
const COUNT: Shape = {
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
  wanted: "a whole number of 0 or more",
};

const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ...HOLDS_ONE.map((keyword) => [keyword, SCHEMA] as const),
  ...HOLDS_LIST.map((keyword) => [keyword, { fits: isFilledList, wanted: "a list of schemas" }] as const),
  ...[...HOLDS_NAMED, ...HOLDS_DEFINITIONS].map((keyword) => [keyword, NAMED] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((key) => [key, NUMBER] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"].map(
    (keyword) => [keyword, COUNT] as const,
  ),
  ...["minProperties", "maxProperties"].map((keyword) => [keyword, COUNT] as const),
  // Up to draft-07 a list of schemas describes the first items.
  ["items", { fits: (value) => isSchema(value) || Array.isArray(value), wanted: "a schema" }],
  ["required", TEXTS],
  ["enum", { fits: Array.isArray, wanted: "a list of values" }],
  ["type", { fits: isType, wanted: `one of ${TYPES.join(", ")}, or a list of them` }],
  ["multipleOf", { fits: (value) => Number(value) > 0, wanted: "a number above 0" }],
  ["uniqueItems", { fits: (value) => typeof value === "boolean", wanted: "true or false" }],
  ["pattern", { fits: isPattern, wanted: "a regular expression" }],
  ["$ref", { fits: (value) => typeof value === "string", wanted: "a text" }],
  ["dependentRequired", { fits: isRecord, wanted: "an object with a list of texts for each name" }],
]);

/**
 * The first problem of a schema, with its path; undefined if there is none. The validator ignores
 * invalid keywords, since imported schemas often have them; operations defined here should not rely on that.
 */
export function problemOfSchema(schema: unknown): string | undefined {
  if (!isRecord(schema)) return isSchema(schema) ? undefined : "it must be an object or a boolean";
  const document = new SchemaDocument(schema);
  const visited = new Set<UnknownRecord>();
  const open: [part: unknown, around: SchemaResource, path: string][] = [[schema, document.root, ""]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [part, around, path] = next;
    if (!isRecord(part)) {
      if (!isSchema(part)) return `${path} must be a schema`;
      continue;
    }
    if (visited.has(part)) continue;
    visited.add(part);
    if (visited.size > MAX_PARTS) return `it has more than ${MAX_PARTS} parts`;
    const resource = document.resourceOf(part, around);
    const problem = problemOfPart(part, path) ?? problemOfReference(part, path, document, resource);
    if (problem) return problem;
    for (const [child, place] of childrenOf(part, path)) open.push([child, resource, place]);
  }
  return undefined;
}

function problemOfPart(part: UnknownRecord, path: string): string | undefined {
  for (const [keyword, value] of Object.entries(part)) {
    const shape = SHAPES.get(keyword);
    if (shape && !shape.fits(value))
      return `${pointerTo(path, keyword)} must be ${shape.wanted}, not ${shown(value)}`;
  }
  return undefined;
}

function problemOfReference(
  { $ref }: UnknownRecord,
  path: string,
  document: SchemaDocument,
  resource: SchemaResource,
): string | undefined {
  if (typeof $ref !== "string" || document.resolve($ref, resource)) return undefined;
  return `${pointerTo(path, "$ref")} leads to ${shown($ref)}, which is not in this schema, and nothing is fetched`;
}

function* childrenOf(part: UnknownRecord, path: string): Iterable<[child: unknown, path: string]> {
  for (const [keyword, held] of Object.entries(part)) {
    const place = pointerTo(path, keyword);
    if (SHAPES.get(keyword) === NAMED && isRecord(held))
      for (const [name, child] of Object.entries(held)) yield [child, pointerTo(place, name)];
    else if (HOLDS_LIST.includes(keyword) || (keyword === "items" && Array.isArray(held)))
      for (const [index, child] of (held as unknown[]).entries()) yield [child, pointerTo(place, index)];
    else if (HOLDS_ONE.includes(keyword)) yield [held, place];
  }
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isRecord(value);
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isType(value: unknown): boolean {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.length > 0 && names.every((name) => typeof name === "string" && TYPES.includes(name));
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return Boolean(new RegExp(value));
  } catch {
    return false;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
