import { isRecord } from "../../core/index.ts";

const MAX_TEXT = 40;
const MAX_CHOICES = 8;

/** A value in a few words: its kind, and its content where that is short. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return "an object";
  if (typeof value === "string")
    return value.length <= MAX_TEXT ? JSON.stringify(value) : `a text of ${value.length} characters`;
  if (value === undefined) return "nothing";
  return `${typeof value} ${String(value)}`;
}

/** What a schema wants in a few words: good enough for an error message. */
export function describeSchema(schema: unknown): string {
  if (!isRecord(schema)) return schema === false ? "nothing" : "anything";
  if ("const" in schema) return describeChoices([schema.const]);
  if (Array.isArray(schema.enum)) return describeChoices(schema.enum);
  if (typeof schema.type === "string") return withDetail(schema.type, schema);
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (isRecord(schema.properties)) return withDetail("object", schema);
  if (typeof schema.title === "string") return schema.title.slice(0, MAX_TEXT);
  return "another form";
}

/** The values of an enum. */
export function describeChoices(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_CHOICES).map((value) => {
    const text = JSON.stringify(value) ?? "nothing";
    return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
  });
  const more = values.length > MAX_CHOICES ? `, … ${values.length - MAX_CHOICES} more` : "";
  return values.length === 1 ? (shown[0] ?? "") : `one of ${shown.join(", ")}${more}`;
}

function withDetail(type: string, schema: { readonly [keyword: string]: unknown }): string {
  if (type !== "object" || !Array.isArray(schema.required) || schema.required.length === 0) return type;
  return `object with ${schema.required.slice(0, 4).join(", ")}`;
}
