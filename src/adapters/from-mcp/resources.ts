import type { Client } from "@modelcontextprotocol/client";
import {
  completeSpec,
  type JsonSchema,
  type OperationContext,
  type Registration,
  type UnknownRecord,
} from "../../core/index.ts";
import { requestOptions, withUpstream } from "./call-tool.ts";
import type { Connections } from "./connections.ts";
import { type McpSourceOptions, TOKEN } from "./options.ts";
import { type IsExternal, TOOL_ERROR } from "./tools.ts";

/** What else a server offers beside tools, as a query of its own. */
interface Offer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly ask: (
    client: Client,
    input: UnknownRecord,
    options: ReturnType<typeof requestOptions>,
  ) => Promise<unknown>;
}

const PAGE: JsonSchema = {
  type: "object",
  properties: { cursor: { type: "string", description: "nextCursor of the page before" } },
  additionalProperties: false,
};

const cursorOf = ({ cursor }: UnknownRecord) => (typeof cursor === "string" ? { cursor } : undefined);

const RESOURCES: readonly Offer[] = [
  {
    name: "list_resources",
    description: "Lists the resources (files, records, pages) that this server can show.",
    inputSchema: PAGE,
    ask: (client, input, options) => client.listResources(cursorOf(input), options),
  },
  {
    name: "read_resource",
    description: "Reads a resource by its URI, such as one that a result links to.",
    inputSchema: {
      type: "object",
      properties: { uri: { type: "string" } },
      required: ["uri"],
      additionalProperties: false,
    },
    ask: async (client, { uri }, options) => {
      const { contents } = await client.readResource({ uri: String(uri) }, options);
      return { content: contents.map((resource) => ({ type: "resource", resource })) };
    },
  },
];

const PROMPTS: readonly Offer[] = [
  {
    name: "list_prompts",
    description: "Lists the prompts that this server has ready.",
    inputSchema: PAGE,
    ask: (client, input, options) => client.listPrompts(cursorOf(input), options),
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
    ask: (client, { name, arguments: values }, options) =>
      client.getPrompt({ name: String(name), arguments: (values ?? {}) as Record<string, string> }, options),
  },
];

/** The queries for a server's resources and prompts, as far as it has them and no tool takes their names. */
export function offersOf(
  client: Client,
  taken: ReadonlySet<string>,
  around: {
    readonly connections: Connections;
    readonly options: McpSourceOptions;
    readonly isExternal: IsExternal;
  },
): readonly Registration[] {
  const capabilities = client.getServerCapabilities() ?? {};
  const offers = [...(capabilities.resources ? RESOURCES : []), ...(capabilities.prompts ? PROMPTS : [])];
  return offers
    .filter(({ name }) => !taken.has(`${around.options.name}/${name}`))
    .map((offer) => registrationOf(offer, around));
}

function registrationOf(
  { name, description, inputSchema, ask }: Offer,
  {
    connections,
    options,
    isExternal,
  }: {
    readonly connections: Connections;
    readonly options: McpSourceOptions;
    readonly isExternal: IsExternal;
  },
): Registration {
  const spec = completeSpec({
    name: `${options.name}/${name}`,
    type: "query",
    visibility: isExternal(name) ? "external" : "internal",
    description,
    inputSchema,
    errors: [TOOL_ERROR],
    access: options.scopes.length > 0 ? { scopes: options.scopes } : {},
  });
  return {
    spec,
    provenance: "from-mcp",
    public: options.public,
    ...(options.capabilities && { capabilities: options.capabilities }),
    handler: {
      kind: "once",
      run: (input: unknown, context: OperationContext) =>
        withUpstream(
          connections.of(context.capabilities.get(TOKEN)),
          { spec, context, isRepeatable: true },
          (client) => ask(client, input as UnknownRecord, requestOptions(context, options)),
        ),
    },
  };
}
