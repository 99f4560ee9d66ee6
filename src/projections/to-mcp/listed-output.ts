import { isRecord, type JsonSchema, measureJson, type Registration } from "../../core/index.ts";

/** Output schemas that are larger are not listed. */
const MAX_BYTES = 8_192;
const MAX_DEPTH = 6;

/** What a mutation answers that must not run here, and an operation that has reached one. */
const DRY_RUN = { type: "object", properties: { dryRun: { const: true } }, required: ["dryRun"] } as const;

/** Some clients compare errors with the schema too. */
const ERROR = { type: "object", properties: { error: { type: "object" } }, required: ["error"] } as const;

/**
 * The output schema of a tool in a list; undefined where an answer without structured content would fit. Clients refuse
 * an answer that does not fit it, so that it must accept everything that this gateway lets pass.
 */
export function listedOutput({ spec, provenance }: Registration): JsonSchema | undefined {
  const { outputSchema: schema } = spec;
  if (provenance !== "local" || !isRecord(schema) || schema.type !== "object" || mayBeContent(schema))
    return undefined;
  const listed = { type: "object", anyOf: [loosened(schema, 0), DRY_RUN, ERROR] };
  return measureJson(listed, MAX_BYTES).over ? undefined : listed;
}

/** True if an output of content blocks alone may fit. */
function mayBeContent({ required, properties, additionalProperties }: Record<string, unknown>): boolean {
  const needsMore = Array.isArray(required) && required.some((name) => name !== "content");
  const isClosed =
    additionalProperties === false && !(isRecord(properties) && Object.hasOwn(properties, "content"));
  return !needsMore && !isClosed;
}

/**
 * The part of a schema that all clients read alike. They differ in dialects, formats, patterns and references, and what
 * is left out of these only makes it accept more.
 */
function loosened(schema: unknown, depth: number): JsonSchema {
  if (!isRecord(schema) || depth > MAX_DEPTH) return {};
  const { type, description, properties, required, items, enum: values, anyOf } = schema;
  const { additionalProperties, patternProperties, prefixItems } = schema;
  const within = (each: unknown) => loosened(each, depth + 1);
  return {
    ...(type !== undefined && { type }),
    ...(typeof description === "string" && { description }),
    ...(Object.hasOwn(schema, "const") && { const: schema.const }),
    ...(Array.isArray(values) && { enum: values }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, within(each)])),
    }),
    ...(Array.isArray(required) && { required }),
    ...(isRecord(items) && prefixItems === undefined && { items: within(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(within) }),
    ...(additionalProperties === false && patternProperties === undefined && { additionalProperties }),
  };
}
