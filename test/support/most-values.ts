import { atFragment, isRecord, type JsonSchema, type UnknownRecord } from "pinhole/core";

const MAX_DEPTH = 10;

/** How many different values a schema accepts at most, as far as a short look tells: infinitely many if in doubt. */
export function mostValues(schema: JsonSchema, root: JsonSchema, depth = 0): number {
  if (schema === false) return 0;
  if (schema === true || depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  const of = (part: unknown) => mostValues(part as JsonSchema, root, depth + 1);
  const { $ref, allOf, anyOf, oneOf } = schema;
  const bounds = [ownValues(schema, of)];
  if (typeof $ref === "string") bounds.push(of(atFragment(root, $ref)));
  if (Array.isArray(allOf)) bounds.push(...allOf.map(of));
  for (const choices of [anyOf, oneOf]) {
    if (Array.isArray(choices)) bounds.push(choices.map(of).reduce((sum, each) => sum + each, 0));
  }
  return Math.min(...bounds);
}

function ownValues(schema: UnknownRecord, of: (part: unknown) => number): number {
  if ("const" in schema) return 1;
  if (Array.isArray(schema.enum)) return schema.enum.length;
  switch (schema.type) {
    case "boolean":
      return 2;
    case "null":
      return 1;
    case "integer":
    case "number":
      return numbersIn(schema);
    case "object":
      return schema.additionalProperties === false ? objectsOf(schema, of) : Number.POSITIVE_INFINITY;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function numbersIn({
  type,
  multipleOf,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: UnknownRecord) {
  const step = Number(multipleOf ?? (type === "integer" ? 1 : 0));
  const low = Number(minimum ?? exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const high = Number(maximum ?? exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  const isOut = (value: number, bound: unknown) => bound !== undefined && value * step === Number(bound);
  const lost = [isOut(first, exclusiveMinimum), isOut(last, exclusiveMaximum)].filter(Boolean).length;
  return step === 0 ? Number.POSITIVE_INFINITY : Math.max(0, last - first + 1 - lost);
}

function objectsOf({ properties, required }: UnknownRecord, of: (part: unknown) => number): number {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {})
    .map(([name, part]) => of(part) + (names.includes(name) ? 0 : 1))
    .reduce((product, each) => product * each, 1);
}
