import {
  atFragment,
  isRecord,
  type JsonSchema,
  lastSegmentOf,
  type OperationSpec,
  type Source,
} from "../../../core/index.ts";
import { wordsOf } from "./words.ts";

/** Read length of a long text; the rest rarely tells the purpose of an operation. */
const MAX_TEXT = 3_000;
const MAX_PARAMETER_TEXT = 240;
const MAX_PARAMETERS = 60;
const MAX_ENUM_VALUES = 20;
const MAX_DEPTH = 3;

/** The parts of an operation that are searched, each with a weight of its own. */
export const FIELDS = [
  "name",
  "namespace",
  "title",
  "description",
  "parameters",
  "parameterText",
  "values",
  "tags",
  "source",
] as const;

/** One of the parts. */
export type Field = (typeof FIELDS)[number];

/** The text of each part. */
export type FieldTexts = Readonly<Record<Field, string>>;

/** The words of each part, in order. */
export type FieldWords = Readonly<Record<Field, readonly string[]>>;

/** The words of texts, so that they are taken apart only once for all that reads them. */
export function wordsOfFields(texts: FieldTexts): FieldWords {
  const entries = FIELDS.map((field) => [field, texts[field] === "" ? [] : wordsOf(texts[field])]);
  return Object.fromEntries(entries) as Readonly<Record<Field, string[]>>;
}

/** Takes an operation apart for the index. */
export function fieldsOf(spec: OperationSpec, source: Source): FieldTexts {
  const names: string[] = [];
  const texts: string[] = [];
  const values: string[] = [];
  collect(spec.inputSchema, { root: spec.inputSchema, depth: 0, names, texts, values });
  return {
    name: spec.name.slice(spec.namespace.length + 1),
    namespace: spec.namespace,
    title: [spec.title ?? "", ...(spec.aliases ?? []).map(lastSegmentOf)].join(" "),
    description: cut(spec.description, MAX_TEXT),
    parameters: names.join(" "),
    parameterText: cut(texts.join(" "), MAX_TEXT),
    values: cut(values.join(" "), MAX_TEXT),
    tags: cut((spec.tags ?? []).join(" "), MAX_TEXT),
    source: cut(`${source.title ?? ""} ${source.description ?? ""}`, MAX_PARAMETER_TEXT),
  };
}

interface Collecting {
  readonly root: JsonSchema;
  readonly depth: number;
  readonly names: string[];
  readonly texts: string[];
  readonly values: string[];
}

function collect(given: unknown, into: Collecting): void {
  const { root, depth, names } = into;
  const schema = isRecord(given) && typeof given.$ref === "string" ? atFragment(root, given.$ref) : given;
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  if (depth > 0) collectWords(schema, into);
  if (isRecord(schema.properties)) {
    for (const name of Object.keys(schema.properties)) {
      if (names.length >= MAX_PARAMETERS) return;
      names.push(name);
      collect(schema.properties[name], { ...into, depth: depth + 1 });
    }
  }
  if (schema.items !== undefined) collect(schema.items, { ...into, depth: depth + 1 });
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) {
    if (!Array.isArray(choices)) continue;
    for (const choice of choices.slice(0, MAX_ENUM_VALUES)) collect(choice, { ...into, depth: depth + 1 });
  }
}

function collectWords(schema: Readonly<Record<string, unknown>>, { texts, values }: Collecting): void {
  if (typeof schema.title === "string") texts.push(cut(schema.title, MAX_PARAMETER_TEXT));
  if (typeof schema.description === "string") texts.push(cut(schema.description, MAX_PARAMETER_TEXT));
  if (!Array.isArray(schema.enum)) return;
  for (const value of schema.enum.slice(0, MAX_ENUM_VALUES)) {
    if (typeof value === "string") values.push(cut(value, 60));
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most);
}
