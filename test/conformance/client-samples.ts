import { isRecord, type JsonSchema } from "../../src/core/index.ts";

/** A value that fits a simple schema: its default where it has one, and of an object what must be there. */
export function sampleOf(schema: JsonSchema): unknown {
  if (!isRecord(schema)) return null;
  if ("default" in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "object":
      return sampleObject(schema);
    case "array":
      return [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return 5;
    default:
      return "text";
  }
}

function sampleObject({ properties, required }: Readonly<Record<string, unknown>>): unknown {
  const wanted = Object.entries(isRecord(properties) ? properties : {}).filter(
    ([name, property]) =>
      (isRecord(property) && "default" in property) || (Array.isArray(required) && required.includes(name)),
  );
  return Object.fromEntries(wanted.map(([name, property]) => [name, sampleOf(property as JsonSchema)]));
}
