import {
  CONTRACT,
  HTTP_STATUS,
  PARTS,
  TOOL_NAMES,
  type ToolName,
  WITHOUT_IDENTITY,
} from "../../contract/index.ts";
import { ERROR_TABLE, isRecord, type TableCode, type UnknownRecord } from "../../core/index.ts";

/** Names of the parts in the document. In many languages Error is something else already. */
const NAMED = { Hit: PARTS.Hit, CallError: PARTS.Error, Call: PARTS.Call, CallResult: PARTS.CallResult };
const NAMES = new Map<unknown, string>(Object.entries(NAMED).map(([name, part]) => [part, name]));
/** The bodies of requests; a generated client has types of these names. */
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
const FAILURE: UnknownRecord = refTo("Failure");

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
  return withRequestId({
    type: "object",
    properties: { output: {}, note: PARTS.CallResult.properties.note },
    required: ["output"],
  });
}

/** The schemas that all others refer to. */
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

interface Kind {
  readonly code: string;
  readonly meaning: string;
  readonly retryable: boolean;
}

const RETRY_AFTER = {
  "retry-after": { description: "Seconds to wait, where that is known.", schema: { type: "integer" } },
};
const CHALLENGE = { "www-authenticate": { schema: { type: "string" } } };

/** Refusals that the table does not have: of requests that never became a call. */
const BEFORE_A_CALL: readonly (readonly [number, string])[] = [
  [400, "the body is not JSON, not UTF-8, or nested too deeply"],
  [413, "the body is too large"],
  [415, "the body is not declared as JSON, or compressed"],
];

const BY_STATUS = groupByStatus();
/** Not `default`, which generators take for a success as well. */
const DECLARED = { "4XX": responseRef("ErrorDeclared"), "5XX": responseRef("ErrorDeclared") };

/** Each status of the table of errors as a response of the document. */
export function errorResponses(): object {
  const responses = [...BY_STATUS].map(([status, kinds]) => [
    responseNameOf(status),
    responseOf(status, kinds),
  ]);
  return {
    ...Object.fromEntries(responses),
    ErrorDeclared: {
      description: "An error that the operation declares (see schema), with the status that it declares.",
      content: { "application/json": { schema: FAILURE } },
    },
  };
}

/** References to these responses, by status; without a status to all, and to errors that operations declare. */
export function refsTo(...statuses: readonly number[]): object {
  const chosen = [...BY_STATUS.keys()].filter((status) => statuses.length === 0 || statuses.includes(status));
  const refs = chosen.map((status) => [String(status), responseRef(responseNameOf(status))]);
  return { ...Object.fromEntries(refs), ...(statuses.length === 0 && DECLARED) };
}

function groupByStatus(): ReadonlyMap<number, readonly Kind[]> {
  const codes = Object.keys(ERROR_TABLE) as TableCode[];
  const forbidden = { code: "FORBIDDEN", meaning: "needs an identity", retryable: false };
  const all: (readonly [number, Kind])[] = [
    ...codes.map((code) => [HTTP_STATUS[code], { code, ...ERROR_TABLE[code] }] as const),
    [WITHOUT_IDENTITY, forbidden],
    ...BEFORE_A_CALL.map(
      ([status, meaning]) => [status, { code: "INVALID_INPUT", meaning, retryable: false }] as const,
    ),
  ];
  const groups = new Map<number, Kind[]>();
  for (const [status, kind] of all.sort(([a], [b]) => a - b)) {
    groups.set(status, [...(groups.get(status) ?? []), kind]);
  }
  return groups;
}

function responseOf(status: number, kinds: readonly Kind[]): object {
  const [first] = kinds;
  const error = first && { code: first.code, message: `${first.meaning}.`, retryable: first.retryable };
  const headers = {
    ...(kinds.some(({ code }) => code === "FORBIDDEN") && CHALLENGE),
    ...(kinds.some(({ retryable }) => retryable) && RETRY_AFTER),
  };
  return {
    description: kinds.map(({ code, meaning }) => `${code}: ${meaning}`).join("; "),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      "application/json": {
        schema: FAILURE,
        example: { error, requestId: `00000000-0000-4000-8000-000000000${status}` },
      },
    },
  };
}

function responseNameOf(status: number): string {
  return `Error${status}`;
}

function responseRef(name: string): object {
  return { $ref: `#/components/responses/${name}` };
}
