import {
  type Client,
  type GetPromptRequest,
  type InputRequiredResult,
  ProtocolErrorCode,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import {
  CallError,
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

/** What else a server offers beside tools, as a query of its own. */
interface Offer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly method:
    | "resources/list"
    | "resources/templates/list"
    | "resources/read"
    | "prompts/list"
    | "prompts/get";
  /** What a server has that does not know the method, although it could. */
  readonly otherwise?: UnknownRecord;
  /** Makes an output of the result; it is one as it is where this is not given. */
  readonly toOutput?: (result: UnknownRecord) => unknown;
}

const PAGE: JsonSchema = {
  type: "object",
  properties: { cursor: { type: "string", description: "nextCursor of the page before" } },
  additionalProperties: false,
};

const RESOURCES: readonly Offer[] = [
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
    method: "resources/read",
    toOutput: ({ contents }) => ({
      content: (contents as readonly unknown[]).map((resource) => ({ type: "resource", resource })),
    }),
  },
];

const PROMPTS: readonly Offer[] = [
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

/** What the registrations of a source have in common. */
export interface OfferOptions {
  readonly upstream: Upstream;
  readonly options: Pick<McpSourceOptions, "name" | "public" | "capabilities">;
  readonly rules: SourceRules;
}

/** The queries for a server's resources and prompts, as far as it has them and no tool takes their names. */
export function offersOf(
  client: Client,
  taken: ReadonlySet<string>,
  options: OfferOptions,
): readonly Registration[] {
  const capabilities = client.getServerCapabilities() ?? {};
  const offers = [...(capabilities.resources ? RESOURCES : []), ...(capabilities.prompts ? PROMPTS : [])];
  return offers.map((offer) => registrationOf(offer, options)).filter(({ spec }) => !taken.has(spec.name));
}

function registrationOf(offer: Offer, { upstream, options, rules }: OfferOptions): Registration {
  const { description, inputSchema, method, toOutput = (result) => result, otherwise } = offer;
  const spec = rules.apply(
    completeSpec({
      name: `${options.name}/${offer.name}`,
      type: "query",
      description,
      inputSchema,
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

/** One page, and nothing from a cache: the SDK's own functions would read all pages and keep what they read. */
function send(
  client: Client,
  request: { readonly method: Offer["method"]; readonly params: object },
  options: RequestOptions,
): Promise<UnknownRecord | InputRequiredResult> {
  return client.request(request as GetPromptRequest, options) as Promise<UnknownRecord>;
}
