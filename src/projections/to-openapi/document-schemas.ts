import { isRecord, type UnknownRecord } from "../../core/index.ts";
import { CONTRACT, PARTS, type ToolName } from "../contract.ts";

const NAMES = new Map<unknown, string>(Object.entries(PARTS).map(([name, part]) => [part, name]));
const REQUEST_ID = { type: "string", description: "Names this call in the log of the gateway." } as const;

/** A reference to a schema of the document. */
export function refTo(name: keyof typeof PARTS | "Failure"): UnknownRecord {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema of the contract in which the named parts are references. */
export function toRefs(schema: unknown): unknown {
  const name = NAMES.get(schema);
  return name === undefined ? refsWithin(schema) : { $ref: `#/components/schemas/${name}` };
}

/** The body of a success. A failure has a status of its own, so that a call's success is its output alone. */
export function answerOf(tool: ToolName): UnknownRecord {
  if (tool !== "call") return withRequestId(CONTRACT[tool].output);
  return withRequestId({ type: "object", properties: { output: {} }, required: ["output"] });
}

/** What the other schemas refer to. */
export const SCHEMAS: UnknownRecord = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, part]) => [name, refsWithin(part)])),
  CallResult: withRequestId(PARTS.CallResult),
  Failure: {
    type: "object",
    properties: { error: refTo("Error"), requestId: REQUEST_ID },
    required: ["error"],
  },
};

function withRequestId(schema: UnknownRecord): UnknownRecord {
  const {
    properties,
    required = [],
    ...rest
  } = refsWithin(schema) as {
    readonly properties: UnknownRecord;
    readonly required?: readonly string[];
  };
  return {
    ...rest,
    properties: { ...properties, requestId: REQUEST_ID },
    required: [...required, "requestId"],
  };
}

function refsWithin(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toRefs);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toRefs(value)]));
}
