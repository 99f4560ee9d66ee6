import fc from "fast-check";
import { atFragment, isRecord, type JsonSchema, sameJson, type UnknownRecord } from "pinhole/core";

/** Numbers between 0 and 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  // Mulberry32: unlike a plain linear one, what comes every third time is as good as the rest.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MAX_DEPTH = 12;

/** How values are made. */
export interface GenerateOptions {
  readonly random: () => number;
  /** Whether objects that are open have properties which their schema does not name, or names for another choice. */
  readonly extras?: boolean;
}

/** Different values that a schema accepts, up to a number of them; fewer where they do not turn up. */
export function generateInputs(
  schema: JsonSchema,
  count: number,
  { accepts, random }: { readonly accepts: (value: unknown) => boolean; readonly random: () => number },
): readonly unknown[] {
  const found = new Map<string, unknown>();
  // Unknown properties are legal and unusual: they come in only where it takes them to tell values apart.
  for (const extras of [false, true]) {
    for (let tries = 0; tries < count * 15 && found.size < count; tries++) {
      const value = generateValue(schema, schema, { random, extras });
      const key = JSON.stringify(value);
      if (!found.has(key) && accepts(value)) found.set(key, value);
    }
  }
  return [...found.values()];
}

/** A value that a schema should accept; check it to be sure. Required parts are always there. */
export function generateValue(
  schema: JsonSchema,
  root: JsonSchema,
  options: GenerateOptions,
  depth = 0,
): unknown {
  const { random } = options;
  if (typeof schema === "boolean") return anything(random);
  const merged = flatten(schema, root, options);
  if ("const" in merged) return merged.const;
  if (Array.isArray(merged.enum)) return pick(merged.enum, random);
  const types = [merged.type ?? guessType(merged)].flat().filter((type) => type !== "null");
  switch (pick(types, random)) {
    case "object":
      return generateObject(merged, root, { ...options, depth });
    case "array":
      return generateArray(merged, root, { ...options, depth });
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

interface Progress extends GenerateOptions {
  readonly depth: number;
}

function generateObject(schema: UnknownRecord, root: JsonSchema, progress: Progress): unknown {
  const { random, depth, extras } = progress;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  // What contains itself comes to an end, and what has hundreds of properties does not have all of them each time.
  const chance = depth > 3 ? 0 : Math.min(0.6, 12 / Object.keys(properties).length);
  const names = Object.keys(properties).filter((name) => required.includes(name) || random() < chance);
  if (depth > MAX_DEPTH) return {};
  const make = (part: unknown) => generateValue(part as JsonSchema, root, progress, depth + 1);
  const entries = names.map((name): [string, unknown] => [name, make(properties[name])]);
  for (const name of required.map(String))
    if (!Object.hasOwn(properties, name)) entries.push([name, anything(random)]);
  const { additionalProperties: others = {} } = schema;
  const isOpen = others !== false && others !== undefined;
  const wanted = extras && isOpen && entries.length < 3 && random() < 0.5 ? 1 : 0;
  const least = Math.max(Number(schema.minProperties ?? 0), isOpen ? entries.length + wanted : 0);
  while (entries.length < least) {
    const isSaid = isRecord(others) && Object.keys(others).length > 0;
    entries.push([
      `extra${entries.length}${letters(random)}`,
      isSaid ? make(others) : generateText({}, random),
    ]);
  }
  return Object.fromEntries(entries);
}

function generateArray(schema: UnknownRecord, root: JsonSchema, progress: Progress): unknown {
  const { random, depth } = progress;
  const least = Number(schema.minItems ?? 1);
  const most = Math.min(Number(schema.maxItems ?? least + 2), least + 2);
  const length = depth > MAX_DEPTH ? 0 : least + Math.floor(random() * (most - least + 1));
  const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const items = Array.from({ length }, (_, index) =>
    generateValue(
      (tuple[index] ?? schema.items ?? { type: "string" }) as JsonSchema,
      root,
      progress,
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
      (schema.exclusiveMaximum !== undefined ? Number(schema.exclusiveMaximum) - step : low + 1_000 * step),
  );
  const first = Math.ceil(low / step);
  const last = Math.max(first, Math.floor(high / step));
  return (first + Math.floor(random() * Math.min(last - first + 1, 1_000))) * step;
}

/** One schema out of references, `allOf` and one choice of each `anyOf` and `oneOf`. */
function flatten(
  schema: UnknownRecord,
  root: JsonSchema,
  options: GenerateOptions,
  depth = 0,
): UnknownRecord {
  if (depth > 20) return {};
  const { random } = options;
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const parts: unknown[] = [own];
  if (typeof $ref === "string") parts.push(atFragment(root, $ref));
  if (Array.isArray(allOf)) parts.push(...allOf);
  if (Array.isArray(anyOf)) parts.push(pick(anyOf, random));
  if (Array.isArray(oneOf)) {
    const chosen: unknown = pick(oneOf, random);
    parts.push(chosen);
    if (options.extras) {
      const [own, ...others] = [chosen, ...oneOf.filter((each) => each !== chosen)].map((each) =>
        isRecord(each) ? flatten(each, root, options, depth + 1) : {},
      );
      parts.push(...others.map((other) => spoilerOf(other, own ?? {})));
    }
  }
  if (parts.length === 1) return own;
  const flat = parts
    .filter(isRecord)
    .map((part) => (part === own ? own : flatten(part, root, options, depth + 1)));
  return {
    ...Object.assign({}, ...flat),
    ...together("properties", flat, (found) => mergeProperties(found as readonly UnknownRecord[])),
    ...together("required", flat, (found) => found.flat()),
    ...together("enum", flat, (found) => found.reduce(inBoth)),
  };
}

/** What keeps a value of one choice from fitting another as well: a property of the other one that is wrong. */
function spoilerOf(other: UnknownRecord, chosen: UnknownRecord): UnknownRecord {
  const known = isRecord(chosen.properties) ? chosen.properties : {};
  const [name, schema] =
    Object.entries(isRecord(other.properties) ? other.properties : {}).find(
      ([each]) => !Object.hasOwn(known, each),
    ) ?? [];
  if (name === undefined || chosen.additionalProperties === false) return {};
  const isText = isRecord(schema) && schema.type === "string";
  return { properties: { [name]: { const: isText ? 7 : "not so" } }, required: [name] };
}

/** A property that several parts speak of has to fit what each of them says. */
function mergeProperties(found: readonly UnknownRecord[]): UnknownRecord {
  const merged: Record<string, unknown> = {};
  for (const [name, schema] of found.flatMap(Object.entries)) {
    const known = merged[name];
    merged[name] = known === undefined || sameJson(known, schema) ? schema : { allOf: [known, schema] };
  }
  return merged;
}

function inBoth(one: unknown, other: unknown): unknown {
  if (!Array.isArray(one) || !Array.isArray(other)) return one ?? other;
  return one.filter((value) => other.includes(value));
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

function anything(random: () => number): string {
  return `anything${letters(random)}`;
}

function letters(random: () => number): string {
  return Math.floor(random() * 1_000).toString(36);
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

const LETTERS = [..."abcdefgh xyzé%&/?"];
const SAMPLES = 60;
/** Writes a number in the way that a format wants it. */
const FORMATS: Readonly<Record<string, (n: number) => string>> = {
  "date-time": (n) => new Date(Date.UTC(2026, 0, 1) + n * 61_000).toISOString(),
  date: (n) => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10),
  time: (n) => `03:${two(n / 60)}:${two(n)}Z`,
  email: (n) => `ada${n}@example.com`,
  uuid: (n) => `123e4567-e89b-42d3-a456-4266141${String(n).padStart(5, "0")}`,
  uri: (n) => `https://example.com/a${n}`,
  url: (n) => `https://example.com/a${n}`,
  "uri-template": (n) => `https://example.com/{a${n}}`,
  hostname: (n) => `host${n}.example.com`,
  ipv4: (n) => `192.0.2.${n % 256}`,
  ipv6: (n) => `2001:db8::${n.toString(16)}`,
  byte: (n) => btoa(String(n)),
  duration: (n) => `P${n + 1}D`,
};

const samples = new Map<string, readonly string[]>();

/** A text that fits a schema as far as its own keywords say. */
function generateText(schema: UnknownRecord, random: () => number): string {
  const least = Number(schema.minLength ?? 0);
  const longest = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  if (typeof schema.pattern === "string") {
    const fitting = textsFor(schema.pattern).filter(
      ({ length }) => length >= Math.max(least, 1) && length <= longest,
    );
    return fitting[Math.floor(random() * fitting.length)] ?? "";
  }
  const number = Math.floor(random() * 1_000);
  if (schema.contentEncoding === "base64") return btoa(`bytes ${number}`);
  const format = FORMATS[String(schema.format)];
  if (format) return format(number);
  const most = Math.min(longest, least + 12);
  const length = Math.min(Math.max(1, least, Math.floor(random() * (most + 1))), Math.max(most, 1));
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)])
    .join("")
    .replaceAll(/^ | $/g, "x");
}

/** Texts that a pattern matches; none for a pattern that nothing can be generated for. */
function textsFor(pattern: string): readonly string[] {
  const known = samples.get(pattern);
  if (known) return known;
  const made = sample(pattern);
  samples.set(pattern, made);
  return made;
}

function sample(pattern: string): readonly string[] {
  for (const flags of ["u", ""]) {
    try {
      const found = fc.sample(fc.stringMatching(new RegExp(pattern, flags), { size: "xsmall" }), {
        numRuns: SAMPLES,
        seed: 1,
      });
      // What a text has beside what matches may be anything, and not all of that survives a path or a header.
      const plain = found.filter((text) => /^[\x21-\x7e]*$/.test(text) && !/^\.{1,2}$/.test(text));
      return [...new Set(plain.length > 0 ? plain : found)];
    } catch {
      // Some patterns are invalid with the flag, some without it.
    }
  }
  return [];
}

function two(n: number): string {
  return String(Math.floor(n) % 60).padStart(2, "0");
}
