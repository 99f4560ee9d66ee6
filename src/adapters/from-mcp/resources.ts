import {
  type Client,
  type GetPromptRequest,
  type InputRequiredResult,
  ProtocolErrorCode,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import {
  CallError,
  CONTENT_OUTPUT,
  completeSpec,
  isRecord,
  type JsonSchema,
  type Registration,
  type SourceRules,
  type UnknownRecord,
} from "../../core/index.ts";
import { ask, type Upstream } from "./call-tool.ts";
import type { McpSourceOptions } from "./options.ts";
import { TOOL_ERROR } from "./tools.ts";

/** A list or a read that servers have besides tools, as a query. */
interface ResourceQuery {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly method:
    | "resources/list"
    | "resources/templates/list"
    | "resources/read"
    | "prompts/list"
    | "prompts/get";
  /** The result for a server that does not know the method. */
  readonly otherwise?: UnknownRecord;
  /** Converts the result; by default it is the output as it is. */
  readonly toOutput?: (result: UnknownRecord) => unknown;
}

const PAGE: JsonSchema = {
  type: "object",
  properties: { cursor: { type: "string", description: "nextCursor of the page before" } },
  additionalProperties: false,
};

const RESOURCES: readonly ResourceQuery[] = [
  {
    name: "list_resources",
    description: "Lists the resources (files, records, pages) that this server can show, page by page.",
    inputSchema: PAGE,
    method: "resources/list",
    toOutput: ({ resources, nextCursor }) => ({ resources, nextCursor }),
  },
  {
    name: "list_resource_templates",
    description:
      "Lists URI templates (RFC 6570) of resources that this server can show; fill one in and read it with read_resource.",
    inputSchema: PAGE,
    method: "resources/templates/list",
    toOutput: ({ resourceTemplates, nextCursor }) => ({ resourceTemplates, nextCursor }),
    otherwise: { resourceTemplates: [] },
  },
  {
    name: "read_resource",
    description:
      "Reads a resource by its URI: one that a result links to, that is listed, or that a template makes.",
    inputSchema: {
      type: "object",
      properties: { uri: { type: "string" } },
      required: ["uri"],
      additionalProperties: false,
    },
    outputSchema: CONTENT_OUTPUT,
    method: "resources/read",
    toOutput: ({ contents }) => ({
      content: (contents as readonly unknown[]).map((resource) => ({ type: "resource", resource })),
    }),
  },
];

const PROMPTS: readonly ResourceQuery[] = [
  {
    name: "list_prompts",
    description: "Lists the prompts that this server has ready, page by page.",
    inputSchema: PAGE,
    method: "prompts/list",
    toOutput: ({ prompts, nextCursor }) => ({ prompts, nextCursor }),
  },
  {
    name: "get_prompt",
    description: "Gets a prompt by its name, filled with arguments.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string" },
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
      additionalProperties: false,
    },
    method: "prompts/get",
    toOutput: ({ description, messages }) => ({ description, messages }),
  },
];

/** Facts that the registrations of a source have in common. */
interface QueryOptions {
  readonly upstream: Upstream;
  readonly options: Pick<McpSourceOptions, "name" | "public" | "capabilities">;
  readonly rules: SourceRules;
}

/** The queries for a server's resources and prompts, if it has any and no tool has their names. */
export function resourceQueries(
  client: Client,
  taken: ReadonlySet<string>,
  options: QueryOptions,
): readonly Registration[] {
  const capabilities = client.getServerCapabilities() ?? {};
  const queries = [...(capabilities.resources ? RESOURCES : []), ...(capabilities.prompts ? PROMPTS : [])];
  return queries.map((query) => registrationOf(query, options)).filter(({ spec }) => !taken.has(spec.name));
}

function registrationOf(query: ResourceQuery, { upstream, options, rules }: QueryOptions): Registration {
  const {
    description,
    inputSchema,
    outputSchema = true,
    method,
    toOutput = (result) => result,
    otherwise,
  } = query;
  const spec = rules.apply(
    completeSpec({
      name: `${options.name}/${query.name}`,
      type: "query",
      description,
      inputSchema,
      outputSchema,
      errors: [TOOL_ERROR],
    }),
  );
  return {
    spec,
    provenance: "from-mcp",
    public: options.public,
    ...(options.capabilities && { capabilities: options.capabilities }),
    handler: {
      kind: "once",
      async run(input, context) {
        const call = { name: spec.name, isRepeatable: true, context, upstream };
        const result = ask<UnknownRecord>(call, (client, resumption, requestOptions) => {
          const request = { method, params: { ...(input as object), ...resumption } };
          return send(client, request, { ...requestOptions, allowInputRequired: true });
        });
        return toOutput(
          await (otherwise ? result.catch((error) => unlessUnknown(error, otherwise)) : result),
        );
      },
    },
  };
}

/** A server with resources need not have templates. */
function unlessUnknown(error: unknown, otherwise: UnknownRecord): UnknownRecord {
  const details = error instanceof CallError ? error.details : undefined;
  if (isRecord(details) && details.protocolCode === ProtocolErrorCode.MethodNotFound) return otherwise;
  throw error;
}

/** One page, and no cache: the SDK's own functions read all pages and keep them. */
function send(
  client: Client,
  request: { readonly method: ResourceQuery["method"]; readonly params: object },
  options: RequestOptions,
): Promise<UnknownRecord | InputRequiredResult> {
  return client.request(request as GetPromptRequest, options) as Promise<UnknownRecord>;
}
