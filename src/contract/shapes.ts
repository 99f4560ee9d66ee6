import { type JsonSchema, OPERATION_TYPES } from "../core/index.ts";

/** Input and output of an action. */
export interface Shape {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/** The four things that a caller can do, on every wire that has them, in this order. */
export const TOOL_NAMES = ["search", "schema", "call", "batch"] as const;

/** One of the four. */
export type ToolName = (typeof TOOL_NAMES)[number];

/** One of the four, or a subscription, where a wire can carry a stream. */
export type ActionName = ToolName | "subscribe";

/** The actions that a service of the gateway answers: `services/search` and `services/schema`. */
type ServiceName = "search" | "schema";

/** Maximum calls in one batch. */
export const MAX_BATCH = 50;

const type = { enum: OPERATION_TYPES } as const;
const text = { type: "string" } as const;

const hit = {
  type: "object",
  properties: {
    name: text,
    type,
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
  properties: { output: {}, note: text, error },
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
        type,
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
        nearest: {
          type: "object",
          description: "Similar names, by the name that is missing",
          additionalProperties: { type: "array", items: text },
        },
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

/** Filter by the type of an operation, in the services. */
export const TYPE_FILTER = {
  description: "Only operations of this type, or of these types",
  anyOf: [type, { type: "array", items: type }],
} as const;

const { search, schema } = CONTRACT;
const { query, limit, cursor } = search.input.properties;

/** The shapes of `services/search` and `services/schema`: the contract, with bounds that would cost tokens in a list of tools. */
export const SERVICES = {
  search: {
    input: {
      ...search.input,
      properties: {
        query: { ...query, anyOf: [text, { type: "array", items: text, minItems: 1, maxItems: 8 }] },
        namespace: { ...text, description: "Only this namespace; without a query all of it, by name" },
        type: TYPE_FILTER,
        limit: {
          ...limit,
          minimum: 1,
          maximum: 50,
          description: "Hits for each query: 10 if not given, for several queries fewer",
        },
        cursor: { ...cursor, maxLength: 200, description: "nextCursor of the page before" },
      },
    },
    output: search.output,
  },
  schema: {
    input: {
      ...schema.input,
      properties: {
        name: { ...text, description: 'One name, such as "demo/greet"' },
        names: { ...schema.input.properties.names, minItems: 1, maxItems: 10 },
      },
    },
    output: schema.output,
  },
} as const satisfies Record<ServiceName, Shape>;

/** A subscription takes what a call takes; its output is one item of the stream. */
export const SUBSCRIBE = { input: callInput, output: {} } as const satisfies Shape;

/** Shapes that others contain, for documents that refer to them by name. */
export const PARTS = { Hit: hit, Error: error, Call: callInput, CallResult: callOutput } as const;
