import { isRecord, type JsonSchema, type Steps, type UnknownRecord } from "../../core/index.ts";
import { mediaKindOf } from "./media-type.ts";
import type { ApiParameter, ParameterPlace, ParameterStyle } from "./model.ts";
import type { Reading } from "./reading.ts";
import { ANYTHING, type Taken } from "./schema-pool.ts";

/** A parameter and its schema; its key is its name unless that is taken. */
export interface ReadParameter {
  readonly parameter: ApiParameter;
  readonly taken: Taken;
}

/** The parts of an operation that Swagger 2 counts as parameters and later versions do not. */
export interface SwaggerBody {
  readonly body: UnknownRecord | undefined;
  readonly form: readonly UnknownRecord[];
  readonly file: string;
}

const PLACES: readonly unknown[] = ["path", "query", "header", "cookie"];
const STYLES: readonly unknown[] = [
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
];
/** They are said by other parts of a document, or belong to the connection or to the credential. */
const OWNED_HEADERS: readonly string[] = [
  "accept",
  "content-type",
  "authorization",
  "host",
  "cookie",
  "content-length",
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** RFC 9110, section 5.1. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const COLLECTION_FORMATS: ReadonlyMap<unknown, ParameterStyle> = new Map([
  ["ssv", "spaceDelimited"],
  ["tsv", "tabDelimited"],
  ["pipes", "pipeDelimited"],
]);

/** The parameters of an operation: those of its path, and its own, which win. */
export function* readParameters(
  lists: readonly { readonly value: unknown; readonly file: string }[],
  { path, reading }: { readonly path: string; readonly reading: Reading },
): Steps<{ readonly parameters: readonly ReadParameter[]; readonly swagger: SwaggerBody }> {
  const inPath = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name));
  const found = new Map<string, ReadParameter>();
  const form = new Map<string, UnknownRecord>();
  let body: UnknownRecord | undefined;
  let bodyFile = "";
  for (const { value, file } of lists) {
    for (const item of Array.isArray(value) ? value : []) {
      yield;
      const located = reading.references.follow(item, file);
      const name = located?.value.name;
      if (!located || typeof name !== "string") {
        reading.warn("a parameter is left out, because its reference leads nowhere or it has no name");
        continue;
      }
      const place = located.value.in;
      if (place === "body" || place === "formData") {
        bodyFile = located.file;
        if (place === "body") body = located.value;
        else form.set(name, located.value);
      } else if (place === "path" && !inPath.has(name)) {
        // It has nowhere to go.
      } else if (place === "header" && !HEADER_NAME.test(name)) {
        reading.warn(
          `a header is left out, because ${JSON.stringify(name.slice(0, 100))} is not a valid name`,
        );
      } else if (PLACES.includes(place) && !isOwned(place, name)) {
        found.set(
          `${place} ${name}`,
          yield* reading.once("parameter", located.value, () => toParameter(located, reading)),
        );
      }
    }
  }
  for (const name of inPath) if (!found.has(`path ${name}`)) found.set(`path ${name}`, undeclared(name));
  return { parameters: [...found.values()], swagger: { body, form: [...form.values()], file: bodyFile } };
}

function isOwned(place: unknown, name: string): boolean {
  return place === "header" && OWNED_HEADERS.includes(name.toLowerCase());
}

function* toParameter(
  { value, file }: { readonly value: UnknownRecord; readonly file: string },
  reading: Reading,
): Steps<ReadParameter> {
  const place = value.in as ParameterPlace;
  const isSwagger = reading.dialect === "swagger-2";
  const content = firstContent(value.content);
  const taken = yield* reading.pool.take(
    isSwagger ? schemaOfSwagger(value) : content ? content.schema : value.schema,
    file,
  );
  const name = String(value.name);
  return {
    parameter: {
      key: name,
      name,
      place,
      required: place === "path" || value.required === true,
      ...(isSwagger ? collectionStyle(value, place) : styleOf(value, place)),
      allowReserved: value.allowReserved === true,
      json: content?.json === true,
    },
    taken: { refs: taken.refs, schema: describedSchema(taken.schema, value, place) },
  };
}

function undeclared(name: string): ReadParameter {
  return {
    parameter: {
      key: name,
      name,
      place: "path",
      required: true,
      style: "simple",
      explode: false,
      allowReserved: false,
      json: false,
    },
    taken: { ...ANYTHING, schema: { type: "string", minLength: 1 } },
  };
}

/** Keywords that require a value not to be empty, by type. */
const LEAST: Readonly<Record<string, string>> = {
  string: "minLength",
  array: "minItems",
  object: "minProperties",
};

/** The schema of a parameter with its description; a path parameter must not be empty. */
function describedSchema(schema: JsonSchema, parameter: UnknownRecord, place: ParameterPlace): JsonSchema {
  const { description, deprecated } = parameter;
  const plain = schema === true ? {} : schema;
  if (typeof plain === "boolean") return plain;
  const least = place === "path" && plain.enum === undefined ? LEAST[String(plain.type)] : undefined;
  const text = typeof description === "string" ? description.trim().slice(0, 2_000) : "";
  return {
    ...plain,
    ...(least !== undefined && !(Number(plain[least]) > 0) && { [least]: 1 }),
    ...(text !== "" && { description: text }),
    ...(deprecated === true && { deprecated: true }),
  };
}

function firstContent(content: unknown): { readonly schema: unknown; readonly json: boolean } | undefined {
  const [first] = isRecord(content) ? Object.entries(content) : [];
  if (!first) return undefined;
  const [mediaType, media] = first;
  return { schema: isRecord(media) ? media.schema : undefined, json: mediaKindOf(mediaType) === "json" };
}

/** A style that the specification has. */
export function isStyle(value: unknown): value is ParameterStyle {
  return STYLES.includes(value);
}

function styleOf(value: UnknownRecord, place: ParameterPlace): Pick<ApiParameter, "style" | "explode"> {
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  const style = isStyle(value.style) ? value.style : usual;
  return { style, explode: typeof value.explode === "boolean" ? value.explode : style === "form" };
}

/** In Swagger 2 a parameter is its own schema. */
export function schemaOfSwagger(value: UnknownRecord): UnknownRecord {
  const { name: _name, in: _in, required: _required, collectionFormat: _format, ...schema } = value;
  return schema;
}

/** Serialization of a list in Swagger 2. */
export function collectionStyle(
  value: UnknownRecord,
  place: ParameterPlace | "formData",
): Pick<ApiParameter, "style" | "explode"> {
  const usual = place === "query" || place === "formData" ? "form" : "simple";
  return {
    style: COLLECTION_FORMATS.get(value.collectionFormat) ?? usual,
    explode: value.collectionFormat === "multi",
  };
}
