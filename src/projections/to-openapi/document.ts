import { CONTRACT, HTTP_CONTRACT_VERSION } from "../../contract/index.ts";
import type { UnknownRecord } from "../../core/index.ts";
import { answerRef, errorResponses, refsTo, requestRef, SCHEMAS } from "./document-components.ts";

/** Facts of one gateway for its document. */
interface DocumentOptions {
  /** True if calls without a token are allowed at all. */
  readonly anonymous: boolean;
}

const INTRODUCTION =
  "Find operations with search, read how to call them with schema, run them with call, batch and subscribe. Every error is {code, message, retryable, details?} and its message says what to do next.";

const STREAM =
  "Server-sent events. Each `data:` without an event name is one item as JSON. The last event is `end` with the data `[DONE]`, or `error` with a CallError as its data; a stream that stops without either was cut off. Comments show that a silent stream lives.";

/** The plain HTTP side as an OpenAPI 3.1 document, made from the contract and the table of errors. */
export function toDocument({ anonymous }: DocumentOptions): UnknownRecord {
  const bearer = { bearer: [] };
  return {
    openapi: "3.1.0",
    info: { title: "Pinhole", version: HTTP_CONTRACT_VERSION, description: INTRODUCTION },
    servers: [{ url: "/" }],
    security: anonymous ? [{}, bearer] : [bearer],
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      responses: errorResponses(),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token of this gateway." },
      },
    },
  };
}

const requestId = "3f0e4c1a-6d0b-4b52-9d51-0c6f7f1a2b3c";

const hit = {
  name: "text/stats",
  type: "query",
  description: "Counts the characters, words, sentences and lines of a text.",
  signature: "(text: string) → text statistics",
} as const;

/** A request and an answer of each address. */
const EXAMPLES = {
  search: {
    body: { query: "count the words of a text", limit: 5 },
    answer: { operations: [hit], total: 1, requestId },
  },
  schema: {
    body: { names: ["text/stats"] },
    answer: {
      operations: [
        {
          name: "text/stats",
          type: "query",
          description: hit.description,
          inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        },
      ],
      requestId,
    },
  },
  call: {
    body: { operation: "text/stats", input: { text: "two words" }, select: "words" },
    answer: { output: 2, requestId },
  },
  batch: {
    body: {
      calls: [
        { operation: "text/stats", input: { text: "two words" }, select: "words" },
        { operation: "text/none" },
      ],
    },
    answer: {
      results: [
        { output: 2, requestId: "5b7f4f0e-3c55-4f0e-8f61-2f8f3f7c9a01" },
        {
          error: { code: "NOT_FOUND", message: 'There is no operation "text/none".', retryable: false },
          requestId: "8c1d2f6a-90b7-4d3e-a0b3-6f1e2d3c4b5a",
        },
      ],
      requestId,
    },
  },
  subscribe: {
    body: { operation: "time/countdown", input: { from: 2 } },
    answer: "data: 2\n\ndata: 1\n\ndata: 0\n\nevent: end\ndata: [DONE]\n\n",
  },
} as const;

const SEARCH_PARAMETERS = Object.entries(CONTRACT.search.input.properties).map(([name, schema]) =>
  name === "query"
    ? {
        ...repeated(name, "What to do; repeat it for up to 8 such texts. None: the namespaces."),
        example: ["send a message"],
      }
    : { name, in: "query", schema },
);

const SCHEMA_PARAMETERS = [
  {
    ...repeated("name", "The name of an operation; repeat it for up to 10."),
    required: true,
    example: ["text/stats"],
  },
];

const SEARCH = { summary: "Find operations by what they do", tags: ["find"] };
const SCHEMA = { summary: "Show exactly how to call operations", tags: ["find"] };
const RUN = { tags: ["run"] };

const PATHS = {
  "/search": {
    get: { operationId: "search", ...SEARCH, parameters: SEARCH_PARAMETERS, responses: answersOf("search") },
    post: { operationId: "searchByBody", ...SEARCH, ...bodyOf("search"), responses: answersOf("search") },
  },
  "/schema": {
    get: { operationId: "schema", ...SCHEMA, parameters: SCHEMA_PARAMETERS, responses: answersOf("schema") },
    post: { operationId: "schemaByBody", ...SCHEMA, ...bodyOf("schema"), responses: answersOf("schema") },
  },
  "/call": {
    post: {
      operationId: "call",
      summary: "Run one query or mutation",
      ...RUN,
      ...bodyOf("call"),
      responses: answersOf("call"),
    },
  },
  "/batch": {
    post: {
      operationId: "batch",
      summary: "Run independent calls at once",
      description: "Answers 200 with results in the order of the calls, each an output or an error.",
      ...RUN,
      ...bodyOf("batch"),
      responses: answersOf("batch"),
    },
  },
  "/subscribe": {
    post: {
      operationId: "subscribe",
      summary: "Run a subscription and stream its items",
      ...RUN,
      ...bodyOf("subscribe"),
      responses: {
        "200": {
          description: STREAM,
          headers: { "x-request-id": { description: "The id of the call.", schema: { type: "string" } } },
          content: {
            "text/event-stream": { schema: { type: "string" }, example: EXAMPLES.subscribe.answer },
          },
        },
        ...refsTo(),
      },
    },
  },
  "/openapi.json": {
    get: {
      operationId: "document",
      summary: "This document",
      responses: { "200": json("OpenAPI 3.1.", { type: "object" }), ...refsTo(401, 403) },
    },
  },
  "/healthz": {
    get: {
      operationId: "health",
      summary: "Whether the gateway is up",
      security: [],
      responses: {
        "200": json("It is.", {
          type: "object",
          properties: { status: { type: "string", enum: ["ok"] } },
          required: ["status"],
        }),
      },
    },
  },
};

type Action = keyof typeof EXAMPLES;

function bodyOf(action: Action): object {
  const schema = requestRef(action === "subscribe" ? "call" : action);
  const content = { "application/json": { schema, example: EXAMPLES[action].body } };
  return { requestBody: { required: true, content } };
}

function answersOf(action: Exclude<Action, "subscribe">): object {
  const { "application/json": content } = json("", answerRef(action)).content;
  return {
    "200": {
      description: `The answer of ${action}.`,
      content: { "application/json": { ...content, example: EXAMPLES[action].answer } },
    },
    ...refsTo(),
  };
}

function json(description: string, schema: object) {
  return { description, content: { "application/json": { schema } } };
}

function repeated(name: string, description: string) {
  const schema = { type: "array", items: { type: "string" } };
  return { name, in: "query", description, style: "form", explode: true, schema };
}
