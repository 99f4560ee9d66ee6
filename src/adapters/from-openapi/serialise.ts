import { CallError, isRecord, type UnknownRecord } from "../../core/index.ts";
import type { ApiParameter, ParameterStyle } from "../../formats/index.ts";

/** A name and a value of a query or a form. */
export type Pair = readonly [name: string, value: string];

const DELIMITERS: Partial<Record<ParameterStyle, string>> = {
  spaceDelimited: " ",
  pipeDelimited: "|",
  tabDelimited: "\t",
};
const MAX_NESTING = 20;

/** A value as text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** The values of a list as one text. */
export function joinTexts(values: readonly unknown[], style: ParameterStyle | undefined): string {
  return values.map(textOf).join((style && DELIMITERS[style]) ?? ",");
}

/** The text without lone surrogates, which cannot be encoded. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** A path parameter in its style, encoded. */
export function toPathText(value: unknown, { name, style, explode, json }: ApiParameter): string {
  const encode = (part: unknown) => encodeURIComponent(wellFormed(textOf(part)));
  if (json) return encode(JSON.stringify(value));
  const parts = partsOf(value, explode, encode);
  switch (style) {
    case "label":
      return `.${parts.join(explode ? "." : ",")}`;
    case "matrix":
      if (!explode) return `;${name}=${parts.join(",")}`;
      return isRecord(value)
        ? parts.map((part) => `;${part}`).join("")
        : parts.map((part) => `;${name}=${part}`).join("");
    default:
      return parts.join(",");
  }
}

/** A header in its style; undefined for an empty list or record. */
export function toHeaderText(value: unknown, { explode, json }: ApiParameter): string | undefined {
  if (json) return JSON.stringify(value);
  const parts = partsOf(value, explode, textOf);
  return parts.length === 0 ? undefined : parts.join(",");
}

type PairStyle = Pick<ApiParameter, "name" | "style" | "explode" | "json">;

/**
 * The pairs of a query, of cookies or of a form. Each part is encoded before parts are joined, because delimiters must not
 * be encoded.
 */
export function toPairs(value: unknown, style: PairStyle, encode: (text: string) => string): readonly Pair[] {
  const { name, explode } = style;
  const write = (part: unknown) => encode(textOf(part));
  if (style.json) return [[encode(name), encode(JSON.stringify(value))]];
  if (style.style === "deepObject" && typeof value === "object") return deepPairs(name, value, encode);
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [encode(name), write(item)] as const);
    // An empty list is left out: an empty text would be a list of one empty text.
    return value.length === 0 ? [] : [[encode(name), value.map(write).join(delimiterOf(style, encode))]];
  }
  if (isRecord(value)) {
    const entries = entriesOf(value);
    if (entries.length === 0) return [];
    if (explode) return entries.map(([key, part]) => [encode(key), write(part)] as const);
    return [
      [
        encode(name),
        entries.flatMap(([key, part]) => [encode(key), write(part)]).join(delimiterOf(style, encode)),
      ],
    ];
  }
  return [[encode(name), write(value)]];
}

function delimiterOf({ style }: PairStyle, encode: (text: string) => string): string {
  const delimiter = DELIMITERS[style];
  return delimiter === undefined ? "," : encode(delimiter);
}

/** `filter[state][0]=open`: the specification stops at the first level, services do not. */
function deepPairs(
  name: string,
  value: unknown,
  encode: (text: string) => string,
  depth = 0,
): readonly Pair[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || depth > MAX_NESTING) return [[encode(name), encode(textOf(value))]];
  return Object.entries(value).flatMap(([key, part]) =>
    deepPairs(`${name}[${key}]`, part, encode, depth + 1),
  );
}

function partsOf(value: unknown, explode: boolean, encode: (part: unknown) => string): readonly string[] {
  if (Array.isArray(value)) return value.map(encode);
  if (!isRecord(value)) return [encode(value)];
  const entries = entriesOf(value).map(([key, part]) => [encode(key), encode(part)] as const);
  return explode ? entries.map((entry) => entry.join("=")) : entries.flat();
}

function entriesOf(value: UnknownRecord): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
}

/** The error of an input that fits its schema and still cannot be sent. */
export function invalidInput(path: string, problem: string): CallError {
  return new CallError("INVALID_INPUT", `${path} ${problem}. Nothing was sent; correct it and call again.`, {
    details: { path },
  });
}
