import { isRecord, type JsonSchema, type Steps, type UnknownRecord } from "../../core/index.ts";
import { HOLDS_LIST, HOLDS_NAMED, HOLDS_ONE } from "../json-schema/index.ts";
import type { Dialect } from "./check-document.ts";
import { isBytes } from "./media-type.ts";

const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
/** `items` may be a list in older documents, and is looked at by itself. */
const ONE_PART = new Set(HOLDS_ONE.filter((keyword) => keyword !== "items"));
const LIST_OF_PARTS = new Set(HOLDS_LIST);
const NAMED_PARTS = new Set(HOLDS_NAMED);
const NUMBERS = new Set([
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
]);
/** Keywords that are copied if their value has the right type. */
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  format: isText,
  pattern: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  uniqueItems: isFlag,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  enum: Array.isArray,
  const: () => true,
  default: () => true,
  discriminator: isRecord,
  dependentRequired: isRecord,
};
const MAX_DESCRIPTION = 2_000;
const MAX_EXAMPLE = 100;

/** Direction of the values of a schema. */
export type Direction = "request" | "answer";

/** Context of a schema: the resolution of its references and the version of its document. */
interface NormaliseContext {
  readonly dialect: Dialect;
  readonly direction: Direction;
  /** The replacement of a reference; undefined if it is broken. */
  readonly refer: (reference: string) => string | undefined;
  /** The properties of a schema, by whatever it refers to, that are only for the other direction, and those around it. */
  readonly oneSidedIn: (schema: UnknownRecord, around?: ReadonlySet<string>) => ReadonlySet<string>;
  /** Those of the schemas that this one is a part of by `allOf`: they are all about the same value. */
  readonly oneSidedAround?: ReadonlySet<string> | undefined;
}

/**
 * A schema of any version of OpenAPI as JSON Schema 2020-12, with nothing in it that only a documentation site needs.
 * Invalid keywords are dropped: the result allows more, never less.
 */
export function* normaliseSchema(schema: unknown, context: NormaliseContext): Steps<JsonSchema> {
  if (typeof schema === "boolean") return schema;
  if (!isRecord(schema)) return true;
  const reference = referenceIn(schema, context);
  // Strictly, keywords next to a reference are ignored before 3.1; but many documents write `nullable` there.
  const isNullable = schema.nullable === true || schema["x-nullable"] === true;
  if (reference && context.dialect !== "openapi-3.1") {
    const described = withDescription(reference, schema);
    return isNullable ? nullable(described) : described;
  }

  const result: Record<string, unknown> = { ...reference };
  const below = context.oneSidedAround ? { ...context, oneSidedAround: undefined } : context;
  for (const [keyword, value] of Object.entries(schema)) {
    const part = yield* partOf(keyword, value, keyword === "allOf" ? within(schema, context) : below);
    if (part !== undefined) result[keyword] = part;
  }
  describe(result, schema);
  yield* putType(result, schema, context);
  putBounds(result, schema);
  putRequired(result, schema, context);
  yield* putUnion(result, schema, context);
  return isNullable ? nullable(result) : result;
}

function within(schema: UnknownRecord, context: NormaliseContext): NormaliseContext {
  return { ...context, oneSidedAround: context.oneSidedIn(schema, context.oneSidedAround) };
}

function* partOf(keyword: string, value: unknown, context: NormaliseContext): Steps<unknown> {
  if (NUMBERS.has(keyword)) return typeof value === "number" ? value : undefined;
  if (Object.hasOwn(PLAIN, keyword)) return PLAIN[keyword]?.(value) ? value : undefined;
  if (NAMED_PARTS.has(keyword)) {
    if (!isRecord(value)) return undefined;
    const parts: [name: string, part: JsonSchema][] = [];
    for (const [name, part] of Object.entries(value)) {
      yield;
      parts.push([name, yield* normaliseSchema(part, context)]);
    }
    return Object.fromEntries(parts);
  }
  const isSchema = isRecord(value) || typeof value === "boolean";
  if (ONE_PART.has(keyword)) return isSchema ? yield* normaliseSchema(value, context) : undefined;
  if (LIST_OF_PARTS.has(keyword)) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return yield* normaliseAll(value, context);
  }
  return undefined;
}

function* normaliseAll(schemas: readonly unknown[], context: NormaliseContext): Steps<JsonSchema[]> {
  const parts: JsonSchema[] = [];
  for (const schema of schemas) {
    yield;
    parts.push(yield* normaliseSchema(schema, context));
  }
  return parts;
}

function referenceIn({ $ref }: UnknownRecord, { refer }: NormaliseContext): UnknownRecord | undefined {
  if (typeof $ref !== "string") return undefined;
  const target = refer($ref);
  return target === undefined ? {} : { $ref: target };
}

function withDescription(reference: UnknownRecord, schema: UnknownRecord): UnknownRecord {
  const result = { ...reference };
  describe(result, schema);
  return result;
}

function describe(result: Record<string, unknown>, { description, example }: UnknownRecord): void {
  if (isText(description) && description.trim() !== "") {
    result.description = description.trim().slice(0, MAX_DESCRIPTION);
  }
  const isShort = isText(example) ? example.length <= MAX_EXAMPLE : typeof example === "number";
  if (isShort) result.examples = [example];
}

function* putType(result: Record<string, unknown>, schema: UnknownRecord, context: NormaliseContext): Steps {
  const { type, format, items } = schema;
  if (type === "file" || (type === "string" && format === "binary")) {
    delete result.format;
    result.type = "string";
    result.contentEncoding = "base64";
    return;
  }
  if (type === "string" && schema.contentEncoding === undefined && isBytes(schema.contentMediaType)) {
    result.contentEncoding = "base64";
  }
  const types = (Array.isArray(type) ? type : [type]).filter((each) => TYPES.has(each));
  if (types.length > 0) result.type = types.length === 1 ? types[0] : types;
  if (Array.isArray(items)) {
    if (items.length > 0) result.prefixItems = yield* normaliseAll(items, context);
  } else if (isRecord(items) || typeof items === "boolean")
    result.items = yield* normaliseSchema(items, context);
}

/** Up to 3.0 the exclusive bounds are flags next to the bounds. */
function putBounds(result: Record<string, unknown>, schema: UnknownRecord): void {
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] === "number") result[exclusive] = schema[exclusive];
    if (schema[exclusive] !== true || typeof schema[bound] !== "number") continue;
    result[exclusive] = schema[bound];
    delete result[bound];
  }
}

/** Properties of the other direction cannot be required. */
function putRequired(
  result: Record<string, unknown>,
  schema: UnknownRecord,
  { oneSidedIn, oneSidedAround }: NormaliseContext,
): void {
  if (!Array.isArray(schema.required)) return;
  const own = oneSidedIn(schema);
  const names = schema.required.filter(
    (name) => isText(name) && !own.has(name) && !oneSidedAround?.has(name),
  );
  if (names.length > 0) result.required = [...new Set(names)];
}

/**
 * The discriminator names the branch of a union. A value may match several all the same, because branches often differ
 * in nothing but a name, so that `oneOf` would refuse every value there is.
 */
function* putUnion(
  result: Record<string, unknown>,
  { oneOf, anyOf, discriminator }: UnknownRecord,
  context: NormaliseContext,
): Steps {
  if (!isRecord(discriminator) || !isText(discriminator.propertyName)) return;
  const parts = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (isRecord(discriminator.mapping)) {
    const references = referencesByName(parts);
    const mapping: [value: string, name: unknown][] = [];
    for (const [value, name] of Object.entries(discriminator.mapping)) {
      const reference = references.get(name);
      mapping.push([value, (reference !== undefined && context.refer(reference)) || name]);
      yield;
    }
    result.discriminator = { ...discriminator, mapping: Object.fromEntries(mapping) };
  }
  if (result.oneOf === undefined || result.anyOf !== undefined) return;
  result.anyOf = result.oneOf;
  delete result.oneOf;
}

/** The references among the parts of a union, each by itself and by its mere name, as a mapping may say it. */
function referencesByName(parts: readonly unknown[]): ReadonlyMap<unknown, string> {
  const references = parts.map((part) => (isRecord(part) ? part.$ref : undefined)).filter(isText);
  const named = references.map((each) => [each.slice(each.lastIndexOf("/") + 1), each] as const);
  // The last one stays in a map: the first of a name wins, and a whole reference before any name.
  return new Map([...named.reverse(), ...references.map((each) => [each, each] as const)]);
}

function nullable(given: UnknownRecord): JsonSchema {
  const { type, enum: values } = given;
  const schema =
    Array.isArray(values) && !values.includes(null) ? { ...given, enum: [...values, null] } : given;
  if (typeof type === "string" && type !== "null") return { ...schema, type: [type, "null"] };
  if (Array.isArray(type)) return type.includes("null") ? schema : { ...schema, type: [...type, "null"] };
  const choices = ["$ref", "allOf", "anyOf", "oneOf", "not", "properties", "const"];
  if (!choices.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  const { description, ...rest } = schema;
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: "null" }] };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}
