import { isRecord, type SchemaValidator, type UnknownRecord } from "../core/index.ts";
import { asBatch, asCall, checkShape, type Shape } from "./arguments.ts";

export type { Shape } from "./arguments.ts";

/** The four things that a caller can do, on every wire that has them, in this order. */
export const TOOL_NAMES = ["search", "schema", "call", "batch"] as const;

/** One of the four. */
export type ToolName = (typeof TOOL_NAMES)[number];

/** One of the four, or a subscription, where a wire can carry a stream. */
export type ActionName = ToolName | "subscribe";

/** How many calls one batch takes. */
export const MAX_BATCH = 50;

const TYPES = ["query", "mutation", "subscription"] as const;
const text = { type: "string" } as const;

const hit = {
  type: "object",
  properties: {
    name: text,
    type: { enum: TYPES },
    mutates: { const: true, description: "Only where the type does not say that it writes" },
    description: text,
    signature: text,
  },
  required: ["name", "type", "description", "signature"],
} as const;

const error = {
  type: "object",
  properties: { code: text, message: text, retryable: { type: "boolean" }, details: {} },
  required: ["code", "message", "retryable"],
} as const;

const callInput = {
  type: "object",
  properties: {
    operation: text,
    input: { type: "object" },
    select: { ...text, description: "JMESPath on the output" },
  },
  required: ["operation"],
  additionalProperties: false,
} as const;

const callOutput = {
  type: "object",
  properties: { output: {}, error },
  oneOf: [{ required: ["output"] }, { required: ["error"] }],
} as const;

/** The shapes of every wire, once: tool lists, OpenAPI documents and documentation are made from here. */
export const CONTRACT = {
  search: {
    input: {
      type: "object",
      properties: {
        query: {
          description: "What to do, or up to 8 such texts",
          anyOf: [text, { type: "array", items: text }],
        },
        namespace: text,
        type: { enum: TYPES },
        limit: { type: "integer" },
        cursor: text,
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        operations: { type: "array", items: hit },
        total: { type: "integer" },
        nextCursor: text,
        note: text,
        groups: {
          type: "array",
          items: {
            type: "object",
            properties: { query: text, operations: { type: "array", items: hit } },
            required: ["query", "operations"],
          },
        },
        namespaces: {
          type: "array",
          items: {
            type: "object",
            properties: { name: text, description: text, operations: { type: "integer" } },
            required: ["name", "description", "operations"],
          },
        },
      },
    },
  },
  schema: {
    input: {
      type: "object",
      properties: { name: text, names: { type: "array", items: text } },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        operations: { type: "array", items: { type: "object" } },
        missing: { type: "array", items: text },
        note: text,
      },
      required: ["operations"],
    },
  },
  call: { input: callInput, output: callOutput },
  batch: {
    input: {
      type: "object",
      properties: {
        calls: {
          type: "array",
          items: { type: "object", properties: callInput.properties, required: callInput.required },
          maxItems: MAX_BATCH,
        },
      },
      required: ["calls"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { results: { type: "array", items: callOutput } },
      required: ["results"],
    },
  },
} as const satisfies Record<ToolName, Shape>;

/** A subscription takes what a call takes; its output is one item of the stream. */
export const SUBSCRIBE = { input: callInput, output: {} } as const satisfies Shape;

/** The shapes that others are made of, for documents that refer to them by name. */
export const PARTS = { Hit: hit, Error: error, Call: callInput, CallResult: callOutput } as const;

/** Checks what a caller wrote against the contract, after bringing familiar slips into form. */
export function checkArguments(
  action: ActionName,
  given: unknown,
  validator: SchemaValidator,
): UnknownRecord {
  const shape: Shape = action === "subscribe" ? SUBSCRIBE : CONTRACT[action];
  const written = bringIntoForm(action, isRecord(given) ? given : {});
  return checkShape(action, shape, { written, validator });
}

function bringIntoForm(action: ActionName, given: UnknownRecord): UnknownRecord {
  if (action === "call" || action === "subscribe") return asCall(given);
  return action === "batch" ? asBatch(given, MAX_BATCH) : given;
}
