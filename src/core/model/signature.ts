import { atFragment, isRecord, type JsonSchema, type UnknownRecord } from "./json.ts";

const MAX_PARAMETERS = 12;
const MAX_ENUM_VALUES = 4;
const MAX_LENGTH = 240;
const MAX_NESTING = 3;

/**
 * The input and output of an operation in one line, short enough to stand in a list:
 * `(owner: string, repo: string, state?: "open" | "closed") → issue[]`.
 */
export function signatureOf(spec: {
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}): string {
  const line = `(${parametersOf(spec.inputSchema)}) → ${typeName(spec.outputSchema, spec.outputSchema)}`;
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}

function parametersOf(schema: JsonSchema): string {
  const resolved = resolve(schema, schema);
  const properties = isRecord(resolved) && isRecord(resolved.properties) ? resolved.properties : {};
  const required = isRecord(resolved) && Array.isArray(resolved.required) ? resolved.required : [];
  const isRequired = ([name]: [string, unknown]) => required.includes(name);
  const all = Object.entries(properties);
  const ordered = [...all.filter(isRequired), ...all.filter((property) => !isRequired(property))];
  const shown = ordered
    .slice(0, MAX_PARAMETERS)
    .map(
      ([name, property]) =>
        `${name}${required.includes(name) ? "" : "?"}: ${typeName(property, schema)}${defaultOf(property)}`,
    );
  if (ordered.length > MAX_PARAMETERS) shown.push(`… ${ordered.length - MAX_PARAMETERS} more`);
  return shown.join(", ");
}

function defaultOf(property: unknown): string {
  return isRecord(property) && Object.hasOwn(property, "default") ? ` = ${literal(property.default)}` : "";
}

function typeName(given: unknown, root: JsonSchema, depth = 0): string {
  const schema = resolve(given, root);
  if (!isRecord(schema)) return "any";
  if (depth > 0 && typeof schema.title === "string" && isObjectType(schema)) return shortTitle(schema.title);
  if ("const" in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal), MAX_ENUM_VALUES);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) {
    return depth >= MAX_NESTING
      ? "any"
      : union(
          choices.map((choice) => typeName(choice, root, depth + 1)),
          3,
        );
  }
  if (Array.isArray(schema.type)) return union(schema.type.map(String), 3);
  if (schema.type === "array" || (schema.type === undefined && schema.items !== undefined)) {
    const item = depth >= MAX_NESTING ? "any" : typeName(schema.items, root, depth + 1);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (isObjectType(schema)) return objectName(schema);
  return typeof schema.type === "string" ? schema.type : "any";
}

function objectName(schema: UnknownRecord): string {
  if (typeof schema.title === "string") return shortTitle(schema.title);
  const keys = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  if (keys.length === 0) return "object";
  return `{${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""}}`;
}

function isObjectType(schema: UnknownRecord): boolean {
  return schema.type === "object" || (schema.type === undefined && isRecord(schema.properties));
}

function shortTitle(title: string): string {
  return title.length <= 40 ? title : `${title.slice(0, 39)}…`;
}

function union(names: readonly string[], most: number): string {
  const distinct = [...new Set(names)];
  const shown = distinct.slice(0, most).join(" | ");
  return distinct.length > most ? `${shown} | …` : shown;
}

function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? "any";
  return text.length <= 24 ? text : `${text.slice(0, 23)}…`;
}

/** Follows local references a few steps; anything else stays as it is. */
function resolve(schema: unknown, root: JsonSchema): unknown {
  let current = schema;
  for (let step = 0; step < 8; step++) {
    if (!isRecord(current) || typeof current.$ref !== "string") return current;
    current = atFragment(root, current.$ref);
  }
  return undefined;
}
