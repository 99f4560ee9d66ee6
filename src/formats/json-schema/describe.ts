import { isRecord, nearest, type UnknownRecord } from "../../core/index.ts";

const MAX_TEXT = 40;
const MAX_CHOICES = 8;
const MAX_NAMES = 6;
const MAX_COMPARED = 1_000;

/** A value in a few words: its type, and its content if short. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `array of ${value.length} ${value.length === 1 ? "item" : "items"}`;
  if (isRecord(value)) return `object ${describeNames(Object.keys(value))}`;
  if (typeof value !== "string") return `${typeof value} ${String(value)}`;
  return value.length <= MAX_TEXT ? JSON.stringify(value) : `a text of ${value.length} characters`;
}

/** A schema in a few words, for error messages. */
export function describeSchema(schema: unknown): string {
  if (!isRecord(schema)) return schema === false ? "nothing" : "anything";
  if (Object.hasOwn(schema, "const")) return describeChoices([schema.const]);
  if (Array.isArray(schema.enum)) return describeChoices(schema.enum);
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  if (types.length > 0) return types.map((type) => withDetail(cut(type), schema)).join(" or ");
  if (isRecord(schema.properties)) return withDetail("object", schema);
  if (typeof schema.title === "string") return cut(schema.title);
  if (typeof schema.$ref === "string") return cut(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
  return shortJson(schema, 2 * MAX_TEXT);
}

/** The values of an enum. */
export function describeChoices(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_CHOICES).map((value) => shortJson(value, MAX_TEXT));
  const more = values.length > MAX_CHOICES ? `, … ${values.length - MAX_CHOICES} more` : "";
  return shown.length === 1 ? shown.join() : `one of ${shown.join(", ")}${more}`;
}

/** The message about an unknown property. */
export function describeUnknownName(name: string, known: Iterable<string>): string {
  const names = [...known];
  if (names.length === 0) return "no properties here";
  const comparable = names.slice(0, MAX_COMPARED).filter(({ length }) => length <= 2 * MAX_TEXT);
  const [close] = name.length <= 2 * MAX_TEXT ? nearest(name, comparable, 1) : [];
  const hint = close
    ? `did you mean ${JSON.stringify(close)}?`
    : `known are ${describeNames(names, 2 * MAX_NAMES)}`;
  return `no property of this name (${hint})`;
}

function withDetail(type: string, { required, items }: UnknownRecord): string {
  if (type === "array" && isRecord(items) && typeof items.type === "string") return `array of ${items.type}`;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return type === "object" && names.length > 0 ? `object ${describeNames(names)}` : type;
}

function describeNames(names: readonly string[], most = MAX_NAMES): string {
  const shown = names.slice(0, most).map((name) => cut(name));
  return `{${[...shown, ...(names.length > shown.length ? ["…"] : [])].join(", ")}}`;
}

/** The beginning of a value's JSON; never looks at more than it shows. */
function shortJson(value: unknown, room: number): string {
  if (typeof value === "string") return JSON.stringify(cut(value, room));
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = room - 2;
  for (const key of Object.keys(isList ? value.slice(0, room) : value)) {
    if (left <= 0) {
      parts.push("…");
      break;
    }
    const label = isList ? "" : `${JSON.stringify(cut(key))}:`;
    const part = label + shortJson((value as UnknownRecord)[key], left - label.length);
    parts.push(part);
    left -= part.length + 1;
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}

function cut(text: string, room = MAX_TEXT): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`;
}
