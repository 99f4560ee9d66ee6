import { isRecord, type JsonSchema, type UnknownRecord } from "../../core/index.ts";
import { isBytes, type MediaKind, mediaKindOf } from "./media-type.ts";
import type { ApiBody, BodyKind, FieldEncoding } from "./model.ts";
import { collectionStyle, isStyle, type SwaggerBody, schemaOfSwagger } from "./read-parameters.ts";
import type { Reading } from "./reading.ts";
import type { References } from "./references.ts";
import type { Taken } from "./schema-pool.ts";

/** The body of a request and what it may hold. */
export interface ReadBody extends ApiBody {
  readonly taken: Taken;
}

const ORDER: readonly MediaKind[] = ["json", "form", "multipart", "text", "binary"];
const TEXT: JsonSchema = Object.freeze({ type: "string" });
const BASE64: JsonSchema = Object.freeze({
  type: "string",
  contentEncoding: "base64",
  description: "The bytes, as base64.",
});

/** The body of an operation of OpenAPI 3. */
export function readBody(value: unknown, file: string, reading: Reading): ReadBody | undefined {
  if (value === undefined) return undefined;
  const located = reading.references.follow(value, file);
  if (!located) {
    reading.warn("the body is left out, because its reference leads nowhere");
    return undefined;
  }
  return reading.once(located.value, () => toBody(located.value, located.file, reading));
}

function toBody(value: UnknownRecord, file: string, reading: Reading): ReadBody {
  const content = isRecord(value.content) ? Object.entries(value.content) : [];
  const offered = content.map(([mediaType, media]) => {
    const { schema, encoding } = isRecord(media) ? media : {};
    const kind = mediaKindOf(mediaType);
    return { mediaType, kind, schema, encoding, fields: fieldsOf(schema, encoding, { file, reading }) };
  });
  const hasFiles = offered.some(({ fields }) => Object.values(fields).some(({ binary }) => binary));
  const order = hasFiles ? ORDER.filter((kind) => kind !== "form") : ORDER;
  const [best] = offered.sort((a, b) => rank(a.kind, order) - rank(b.kind, order));
  const kind = best === undefined || best.kind === "events" ? "json" : best.kind;
  const mediaType = best === undefined || best.mediaType.includes("*") ? "application/json" : best.mediaType;
  return {
    kind,
    mediaType,
    required: value.required === true,
    fields: kind === "form" || kind === "multipart" ? (best?.fields ?? {}) : {},
    taken: bodySchema(kind, reading.pool.take(best?.schema, file), value.description),
  };
}

/** The body of an operation of Swagger 2: one parameter, or one for each field. */
export function readSwaggerBody(
  { body, form, file }: SwaggerBody,
  consumes: unknown,
  reading: Reading,
): ReadBody | undefined {
  const types = Array.isArray(consumes) ? consumes.filter((type) => typeof type === "string") : [];
  if (body) {
    const mediaType =
      types.find((type) => mediaKindOf(type) === "json") ??
      types.find((type) => mediaKindOf(type) === "text") ??
      types.find((type) => mediaKindOf(type) === "binary") ??
      "application/json";
    const kind = mediaKindOf(mediaType) as BodyKind;
    const taken = bodySchema(kind, reading.pool.take(body.schema, file), body.description);
    return { kind, mediaType, required: body.required === true, fields: {}, taken };
  }
  if (form.length === 0) return undefined;
  const hasFiles = form.some(({ type }) => type === "file");
  const isMultipart =
    hasFiles || (types.some((type) => mediaKindOf(type) === "multipart") && !types.some(isForm));
  const parts = form.map(
    (field) => [String(field.name), reading.pool.take(schemaOfSwagger(field), file), field] as const,
  );
  const required = parts.filter(([, , field]) => field.required === true).map(([name]) => name);
  return {
    kind: isMultipart ? "multipart" : "form",
    mediaType: isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded",
    required: required.length > 0,
    fields: Object.fromEntries(parts.map(([name, , field]) => [name, swaggerField(field)])),
    taken: {
      refs: parts.flatMap(([, { refs }]) => refs),
      schema: {
        type: "object",
        properties: Object.fromEntries(parts.map(([name, { schema }]) => [name, schema])),
        ...(required.length > 0 && { required }),
      },
    },
  };
}

function isForm(mediaType: string): boolean {
  return mediaKindOf(mediaType) === "form";
}

function swaggerField({ type, collectionFormat }: UnknownRecord): FieldEncoding {
  if (type === "file") return { binary: true };
  return type === "array" && collectionFormat !== "multi"
    ? collectionStyle({ collectionFormat }, "formData")
    : {};
}

function bodySchema(kind: BodyKind, taken: Taken, description: unknown): Taken {
  const isText = isRecord(taken.schema) && taken.schema.type === "string";
  const schema = kind === "binary" ? BASE64 : kind === "text" && !isText ? TEXT : taken.schema;
  const refs = schema === taken.schema ? taken.refs : [];
  const text = typeof description === "string" ? description.trim().slice(0, 2_000) : "";
  if (text === "" || schema === false) return { schema, refs };
  return { refs, schema: { ...(schema === true ? {} : schema), description: text } };
}

function rank(kind: MediaKind, order: readonly MediaKind[]): number {
  const index = order.indexOf(kind);
  return index === -1 ? order.length : index;
}

/** Which fields of a form are written in another way than the usual. */
function fieldsOf(
  schema: unknown,
  encoding: unknown,
  { file, reading }: { readonly file: string; readonly reading: Reading },
): Readonly<Record<string, FieldEncoding>> {
  const fields: [string, FieldEncoding][] = [];
  for (const [name, property, from] of propertiesOf(schema, { file, references: reading.references })) {
    const said = isRecord(encoding) && isRecord(encoding[name]) ? encoding[name] : {};
    const contentType = contentTypeOf(said, property);
    const field: FieldEncoding = {
      ...(isStyle(said.style) && { style: said.style }),
      ...(typeof said.explode === "boolean" && { explode: said.explode }),
      ...(contentType !== undefined && { contentType }),
      ...(isBinary(property, from, { contentType, references: reading.references }) && { binary: true }),
    };
    if (Object.keys(field).length > 0) fields.push([name, field]);
  }
  return Object.fromEntries(fields);
}

/** The properties of an object schema, those of its parts included. */
function* propertiesOf(
  schema: unknown,
  { file, references }: { readonly file: string; readonly references: References },
  depth = 0,
): Iterable<readonly [name: string, property: unknown, file: string]> {
  const located = references.follow(schema, file);
  if (!located || depth > 5) return;
  const { properties, allOf } = located.value;
  for (const [name, property] of isRecord(properties) ? Object.entries(properties) : [])
    yield [name, property, located.file];
  for (const part of Array.isArray(allOf) ? allOf : [])
    yield* propertiesOf(part, { file: located.file, references }, depth + 1);
}

/** The first type that the document allows for a field; one with an asterisk is none. */
function contentTypeOf(said: UnknownRecord, property: unknown): string | undefined {
  const { contentMediaType } = isRecord(property) ? property : {};
  const types = String(said.contentType ?? contentMediaType ?? "").split(",");
  return types.map((type) => type.trim()).find((type) => /^[^*\s]+\/[^*]+$/.test(type));
}

/** Since 3.1 bytes are a text of a type of bytes that is not encoded, or a value of no type that is sent as bytes. */
function isBinary(
  property: unknown,
  file: string,
  field: { readonly contentType: string | undefined; readonly references: References },
): boolean {
  const located = field.references.follow(property, file);
  if (!located) return false;
  const { type, format, items, contentMediaType, contentEncoding } = located.value;
  if (type === "array") return isBinary(items, located.file, field);
  if (type === "file" || format === "binary") return true;
  const isOpen = Object.keys(located.value).every((keyword) => keyword === "description");
  if (isOpen) return isBytes(field.contentType);
  return type === "string" && contentEncoding === undefined && isBytes(contentMediaType);
}
