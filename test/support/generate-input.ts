import { atFragment, isRecord, type JsonSchema, type UnknownRecord } from "pinhole/core";

/** Numbers between 0 and 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  email: "ada@example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  uri: "https://example.com/a",
  url: "https://example.com/a",
  "uri-template": "https://example.com/{a}",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  byte: "YWJj",
  duration: "P1D",
};
const MAX_DEPTH = 12;

/** A value that a schema should accept; whoever needs to be sure checks it. Required parts are always there. */
export function generateValue(
  schema: JsonSchema,
  root: JsonSchema,
  random: () => number,
  depth = 0,
): unknown {
  if (typeof schema === "boolean") return "anything";
  const merged = flatten(schema, root, random);
  if ("const" in merged) return merged.const;
  if (Array.isArray(merged.enum)) return pick(merged.enum, random);
  const types = [merged.type ?? guessType(merged)].flat().filter((type) => type !== "null");
  switch (pick(types, random)) {
    case "object":
      return generateObject(merged, root, { random, depth });
    case "array":
      return generateArray(merged, root, { random, depth });
    case "integer":
    case "number":
      return generateNumber(merged, random);
    case "boolean":
      return random() < 0.5;
    case "string":
      return generateText(merged, random);
    default:
      return null;
  }
}

interface Progress {
  readonly random: () => number;
  readonly depth: number;
}

function generateObject(schema: UnknownRecord, root: JsonSchema, { random, depth }: Progress): unknown {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const chance = depth > 3 ? 0 : 0.6;
  const names = Object.keys(properties).filter((name) => required.includes(name) || random() < chance);
  if (depth > MAX_DEPTH) return {};
  const entries = names.map((name) => [
    name,
    generateValue(properties[name] as JsonSchema, root, random, depth + 1),
  ]);
  for (const name of required.map(String)) {
    if (!Object.hasOwn(properties, name)) entries.push([name, "anything"]);
  }
  const least = Number(schema.minProperties ?? 0);
  const others = isRecord(schema.additionalProperties) ? schema.additionalProperties : { type: "string" };
  while (entries.length < least)
    entries.push([`extra${entries.length}`, generateValue(others, root, random, depth + 1)]);
  return Object.fromEntries(entries);
}

function generateArray(schema: UnknownRecord, root: JsonSchema, { random, depth }: Progress): unknown {
  const least = Number(schema.minItems ?? 1);
  const most = Math.min(Number(schema.maxItems ?? least + 2), least + 2);
  const length = depth > MAX_DEPTH ? 0 : least + Math.floor(random() * (most - least + 1));
  const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const items = Array.from({ length }, (_, index) =>
    generateValue(
      (tuple[index] ?? schema.items ?? { type: "string" }) as JsonSchema,
      root,
      random,
      depth + 1,
    ),
  );
  if (schema.uniqueItems !== true) return items;
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function generateNumber(schema: UnknownRecord, random: () => number): number {
  const step = Number(schema.multipleOf ?? (schema.type === "integer" ? 1 : 0.5));
  const low = Number(
    schema.minimum ?? (schema.exclusiveMinimum !== undefined ? Number(schema.exclusiveMinimum) + step : 0),
  );
  const high = Number(
    schema.maximum ??
      (schema.exclusiveMaximum !== undefined ? Number(schema.exclusiveMaximum) - step : low + 100),
  );
  const first = Math.ceil(low / step);
  const last = Math.max(first, Math.floor(high / step));
  return (first + Math.floor(random() * Math.min(last - first + 1, 50))) * step;
}

function generateText(schema: UnknownRecord, random: () => number): string {
  if (typeof schema.pattern === "string") return textFor(schema.pattern, schema);
  if (schema.contentEncoding === "base64") return "YWJj";
  const format = FORMATS[String(schema.format)];
  if (format !== undefined) return format;
  const least = Number(schema.minLength ?? 0);
  const most = Math.min(Number(schema.maxLength ?? least + 12), least + 12);
  const length = Math.max(1, least, Math.floor(random() * (most + 1)));
  return Array.from({ length: Math.min(length, Math.max(most, 1)) }, () =>
    pick([..."abcdefgh xyzé%&/?"], random),
  )
    .join("")
    .replaceAll(/^ | $/g, "x");
}

/** Patterns are few in practice; what none of these fits is not generated. */
function textFor(pattern: string, { minLength }: UnknownRecord): string {
  const candidates = [
    "a",
    "abc",
    "abcdefgh",
    "A",
    "ABC",
    "1",
    "123",
    "12345",
    "1.0.0",
    "a@b.com",
    "https://example.com",
    "#aabbcc",
    "/a",
    "2026-01-02",
    "a-b",
    "en-US",
    "doggie",
  ];
  const expression = new RegExp(pattern);
  return candidates.find((text) => expression.test(text) && text.length >= Number(minLength ?? 0)) ?? "";
}

/** One schema out of references, `allOf` and one choice of each `anyOf` and `oneOf`. */
function flatten(schema: UnknownRecord, root: JsonSchema, random: () => number, depth = 0): UnknownRecord {
  if (depth > 20) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const parts: unknown[] = [own];
  if (typeof $ref === "string") parts.push(atFragment(root, $ref));
  if (Array.isArray(allOf)) parts.push(...allOf);
  for (const choices of [anyOf, oneOf]) if (Array.isArray(choices)) parts.push(pick(choices, random));
  if (parts.length === 1) return own;
  const flat = parts
    .filter(isRecord)
    .map((part) => (part === own ? own : flatten(part, root, random, depth + 1)));
  return {
    ...Object.assign({}, ...flat),
    ...together("properties", flat, (found) => Object.assign({}, ...found)),
    ...together("required", flat, (found) => found.flat()),
  };
}

function together(
  keyword: string,
  schemas: readonly UnknownRecord[],
  join: (found: readonly unknown[]) => unknown,
): UnknownRecord {
  const found = schemas.map((schema) => schema[keyword]).filter((value) => value !== undefined);
  return found.length === 0 ? {} : { [keyword]: join(found) };
}

function guessType(schema: UnknownRecord): string {
  if (schema.properties || schema.required || schema.additionalProperties) return "object";
  if (schema.items || schema.prefixItems) return "array";
  return schema.minimum !== undefined || schema.maximum !== undefined ? "number" : "string";
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}
