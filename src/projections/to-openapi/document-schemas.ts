import { CONTRACT, PARTS, TOOL_NAMES, type ToolName } from "../../contract/index.ts";
import { isRecord, type UnknownRecord } from "../../core/index.ts";

/** What the parts are called in the document. In many languages Error is something else already. */
const NAMED = { Hit: PARTS.Hit, CallError: PARTS.Error, Call: PARTS.Call, CallResult: PARTS.CallResult };
const NAMES = new Map<unknown, string>(Object.entries(NAMED).map(([name, part]) => [part, name]));
/** The bodies of requests; a client that is generated has types of these names. */
const REQUESTS = {
  search: "SearchRequest",
  schema: "SchemaRequest",
  call: "Call",
  batch: "BatchRequest",
} as const;
const ANSWERS = {
  search: "SearchAnswer",
  schema: "SchemaAnswer",
  call: "CallAnswer",
  batch: "BatchAnswer",
} as const;
const REQUEST_ID = { type: "string", description: "Names this call in the log of the gateway." } as const;

/** A reference to the body of a failure. */
export const FAILURE: UnknownRecord = refTo("Failure");

/** A reference to the body of a request. */
export function requestRef(tool: ToolName): UnknownRecord {
  return refTo(REQUESTS[tool]);
}

/** A reference to the body of a success. */
export function answerRef(tool: ToolName): UnknownRecord {
  return refTo(ANSWERS[tool]);
}

function refTo(name: string): UnknownRecord {
  return { $ref: `#/components/schemas/${name}` };
}

function toRefs(schema: unknown): unknown {
  const name = NAMES.get(schema);
  return name === undefined ? refsWithin(schema) : refTo(name);
}

/** A failure has a status of its own, so that a call's success is its output alone. */
function answerOf(tool: ToolName): UnknownRecord {
  if (tool !== "call") return withRequestId(CONTRACT[tool].output);
  return withRequestId({ type: "object", properties: { output: {} }, required: ["output"] });
}

/** What the other schemas refer to. */
export const SCHEMAS: UnknownRecord = {
  ...Object.fromEntries(Object.entries(NAMED).map(([name, part]) => [name, refsWithin(part)])),
  ...Object.fromEntries(TOOL_NAMES.map((tool) => [REQUESTS[tool], refsWithin(CONTRACT[tool].input)])),
  ...Object.fromEntries(TOOL_NAMES.map((tool) => [ANSWERS[tool], answerOf(tool)])),
  CallResult: withRequestId(PARTS.CallResult),
  Failure: {
    type: "object",
    properties: { error: refTo("CallError"), requestId: REQUEST_ID },
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
