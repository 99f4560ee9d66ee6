import { isRecord } from "../../core/index.ts";
import type { ApiBody, FieldEncoding } from "../../formats/index.ts";
import type { BodyLike } from "../../outbound/index.ts";
import { invalidInput, joinTexts, type Pair, textOf, toPairs, wellFormed } from "./serialise.ts";

/** A body ready to send. */
export interface WrittenBody {
  readonly content: BodyLike;
  readonly type: string;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The body of a request, in the format of the document. */
export function toBody(value: unknown, body: ApiBody): WrittenBody {
  switch (body.kind) {
    case "json":
      return { content: JSON.stringify(value), type: body.mediaType };
    case "form":
      return {
        content: toForm(pairsOf(value, body)),
        type: body.mediaType,
      };
    case "multipart":
      return toMultipart(partsOf(value, body));
    case "text":
      return { content: textOf(value), type: body.mediaType };
    case "binary":
      return { content: fromBase64(value, "body"), type: body.mediaType };
  }
}

function toForm(pairs: readonly Pair[]): string {
  const form = new URLSearchParams();
  for (const [name, value] of pairs) form.append(name, value);
  return form.toString();
}

function pairsOf(value: unknown, body: ApiBody): readonly Pair[] {
  return fieldsOf(value).flatMap(([name, field]) => {
    const encoding = encodingOf(body, name);
    const json = isJson(field, encoding);
    const { style = "form", explode = style === "form" || style === "deepObject" } = encoding;
    return toPairs(field, { name, style, explode, json }, wellFormed);
  });
}

/** Nested values are written as JSON unless the document has a style for them. */
function isJson(field: unknown, { style, contentType }: FieldEncoding): boolean {
  if (contentType?.includes("json")) return true;
  return style === undefined && isRecord(field);
}

function partsOf(value: unknown, body: ApiBody): readonly Part[] {
  return fieldsOf(value).flatMap(([name, field]) => {
    const encoding = encodingOf(body, name);
    const items = Array.isArray(field) && encoding.explode !== false ? field : [field];
    return items.map((item) => toPart(name, item, encoding));
  });
}

function toPart(name: string, item: unknown, { contentType, binary, style }: FieldEncoding): Part {
  if (binary) {
    const type = contentType ?? "application/octet-stream";
    return { name, content: fromBase64(item, `body.${name}`), type, fileName: name };
  }
  const text = Array.isArray(item) ? joinTexts(item, style) : textOf(item);
  return {
    name,
    content: wellFormed(text),
    type: contentType ?? (isRecord(item) ? "application/json" : undefined),
  };
}

function encodingOf({ fields }: ApiBody, name: string): FieldEncoding {
  return Object.hasOwn(fields, name) ? (fields[name] ?? {}) : {};
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isRecord(value)) throw invalidInput("body", "is written as a form, so it must be an object");
  return Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
}

function fromBase64(value: unknown, path: string): Uint8Array<ArrayBuffer> {
  const text = typeof value === "string" ? value.replaceAll(/\s/g, "") : undefined;
  if (text === undefined || !BASE64.test(text)) throw invalidInput(path, "must be bytes as base64");
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** One part of a multipart body. */
interface Part {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly type?: string | undefined;
  /** Makes the part a file: services take a part with a file name for an upload, and one without for a field. */
  readonly fileName?: string;
}

/** A multipart body and its type (RFC 7578). FormData would give every part with a type a file name. */
function toMultipart(parts: readonly Part[]): {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly type: string;
} {
  const boundary = `pinhole-${crypto.randomUUID()}`;
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n`),
    Buffer.from(part.content),
    Buffer.from("\r\n"),
  ]);
  const content = new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]));
  return { content, type: `multipart/form-data; boundary=${boundary}` };
}

function headOf({ name, fileName, type }: Part): string {
  const file = fileName === undefined ? "" : `; filename="${escaped(fileName)}"`;
  const kind = type === undefined ? "" : `content-type: ${type.replaceAll(/[^\x20-\x7e]/g, "")}\r\n`;
  return `content-disposition: form-data; name="${escaped(name)}"${file}\r\n${kind}`;
}

/** Escapes characters that would end the name or its line, as browsers do. */
function escaped(name: string): string {
  return name.replaceAll(/["\r\n]/g, encodeURIComponent);
}
