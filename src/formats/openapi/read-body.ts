import { isRecord, type JsonSchema, type Steps, type UnknownRecord } from "../../core/index.ts";
import { isBytes, type MediaKind, mediaKindOf } from "./media-type.ts";
import type { ApiBody, BodyKind, FieldEncoding } from "./model.ts";
import { collectionStyle, isStyle, type SwaggerBody, schemaOfSwagger } from "./read-parameters.ts";
import type { Reading } from "./reading.ts";
import type { References } from "./references.ts";
import type { Taken } from "./schema-pool.ts";

/** The body of a request and its schema. */
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
export function* readBody(value: unknown, file: string, reading: Reading): Steps<ReadBody | undefined> {
  if (value === undefined) return undefined;
  const located = reading.references.follow(value, file);
  if (!located) {
    reading.warn("the body is left out, because its reference leads nowhere");
    return undefined;
  }
  return yield* reading.once("body", located.value, () => toBody(located.value, located.file, reading));
}

function* toBody(value: UnknownRecord, file: string, reading: Reading): Steps<ReadBody> {
  const content = isRecord(value.content) ? Object.entries(value.content) : [];
  const offered = content.map(([mediaType, media]) => {
    const { schema, encoding } = isRecord(media) ? media : {};
    return { mediaType, kind: mediaKindOf(mediaType), schema, encoding };
  });
  const bestOf = (kinds: readonly MediaKind[]) =>
    kinds.flatMap((kind) => offered.find((each) => each.kind === kind) ?? []).at(0);
  const fieldsIn = ({ schema, encoding }: { readonly schema: unknown; readonly encoding: unknown }) =>
    fieldsOf(schema, encoding, { file, reading });
  const first = bestOf(ORDER) ?? offered[0];
  // A file cannot be sent in a plain form.
  const forms = first?.kind === "form" ? [first, bestOf(["multipart"]) ?? first] : [];
  const hasFiles = forms.some((form) => Object.values(fieldsIn(form)).some(({ binary }) => binary));
  const best = hasFiles ? (bestOf(ORDER.filter((kind) => kind !== "form")) ?? first) : first;
  const kind = best === undefined || best.kind === "events" ? "json" : best.kind;
  const mediaType = best === undefined || best.mediaType.includes("*") ? "application/json" : best.mediaType;
  return {
    kind,
    mediaType,
    required: value.required === true,
    fields: best && (kind === "form" || kind === "multipart") ? fieldsIn(best) : {},
    taken: bodySchema(kind, yield* reading.pool.take(best?.schema, file), value.description),
  };
}

/** The body of an operation of Swagger 2: one parameter, or one for each field. */
export function* readSwaggerBody(
  { body, form, file }: SwaggerBody,
  consumes: unknown,
  reading: Reading,
): Steps<ReadBody | undefined> {
  const types = Array.isArray(consumes) ? consumes.filter((type) => typeof type === "string") : [];
  if (body) {
    const mediaType =
      types.find((type) => mediaKindOf(type) === "json") ??
      types.find((type) => mediaKindOf(type) === "text") ??
      types.find((type) => mediaKindOf(type) === "binary") ??
      "application/json";
    const kind = mediaKindOf(mediaType) as BodyKind;
    const taken = bodySchema(kind, yield* reading.pool.take(body.schema, file), body.description);
    return { kind, mediaType, required: body.required === true, fields: {}, taken };
  }
  if (form.length === 0) return undefined;
  const hasFiles = form.some(({ type }) => type === "file");
  const isMultipart =
    hasFiles || (types.some((type) => mediaKindOf(type) === "multipart") && !types.some(isForm));
  const parts: [name: string, taken: Taken, field: UnknownRecord][] = [];
  for (const field of form)
    parts.push([String(field.name), yield* reading.pool.take(schemaOfSwagger(field), file), field]);
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

/** Form fields with a serialization that is not the default. */
function fieldsOf(
  schema: unknown,
  encoding: unknown,
  { file, reading }: { readonly file: string; readonly reading: Reading },
): Readonly<Record<string, FieldEncoding>> {
  const fields: [string, FieldEncoding][] = [];
  for (const [name, { property, file: from }] of propertiesOf(schema, file, reading)) {
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

/** Parts may lead to each other by references, a few of them to very many: each counts once, and so many are looked at. */
const MAX_PARTS = 1_000;

type Properties = ReadonlyMap<string, { readonly property: unknown; readonly file: string }>;

/** The properties of an object schema, those of its parts included. */
function propertiesOf(schema: unknown, file: string, { references }: Reading): Properties {
  const properties = new Map<string, { property: unknown; file: string }>();
  const seen = new Set<object>();
  const open = [{ part: schema, from: file }];
  let looks = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    if (++looks > MAX_PARTS) throw new Error(`the schema of its body has more than ${MAX_PARTS} parts`);
    const located = references.follow(next.part, next.from);
    if (!located || seen.has(located.value)) continue;
    seen.add(located.value);
    const { properties: own, allOf } = located.value;
    for (const [name, property] of isRecord(own) ? Object.entries(own) : [])
      properties.set(name, { property, file: located.file });
    // From the end, so that the first is the next.
    for (const part of Array.isArray(allOf) ? allOf.toReversed() : [])
      open.push({ part, from: located.file });
  }
  return properties;
}

/** The first media type of a field without a wildcard. */
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
