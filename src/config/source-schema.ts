import type { SchemaNode } from "./config-type.ts";
import { CREDENTIALS, OAUTH, PLUGIN_CREDENTIALS } from "./credential-schema.ts";
import { LONGEST_TIMER, NAMES, SECRET } from "./schema-parts.ts";

/** What is said differently about one operation. */
const OVERRIDE = {
  name: {
    type: "string",
    pattern: "^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*$",
    description: "Name to use instead, without the namespace.",
    advice: "A name has letters, digits, _ . and -, and slashes between its parts.",
  },
  description: { type: "string", minLength: 1, description: "Description to use instead." },
  external: {
    type: "boolean",
    description: "Whether callers can reach it, whatever `external` of the source says.",
  },
  scopes: {
    type: "array",
    items: { type: "string", minLength: 1 },
    description: "Scopes that a caller needs for it, instead of those of the source.",
  },
} as const;

const OPERATIONS = {
  type: "object",
  default: {},
  additionalProperties: { type: "object", properties: OVERRIDE, additionalProperties: false },
  description: "What is said differently about single operations, by their names.",
} as const;

/** Keys that every kind of source has. */
const EVERY_KIND = {
  external: {
    type: ["string", "array"],
    items: { type: "string", minLength: 1 },
    description:
      'Which operations callers can reach: "*" or patterns; the rest is for composition only. Without it, none of an imported source, and of a plugin those that it does not keep internal itself.',
  },
  scopes: { ...NAMES, description: "Scopes that a caller needs for the operations of this source." },
  public: {
    type: "boolean",
    default: false,
    description: "Whether callers without a token may call, even where identities exist.",
  },
  operations: OPERATIONS,
  title: { type: "string", description: "Name of the source for people." },
  description: { type: "string", description: "What the source offers, in a sentence." },
} as const;

/** Keys of sources that are somewhere else. */
const REMOTE = {
  token: { ...SECRET, description: "Credential for the server, sent as a bearer token." },
  credentials: CREDENTIALS,
  allowPrivate: {
    type: "boolean",
    default: false,
    description:
      "Whether the address, or what a plugin fetches, may lie on this machine or in a private network.",
  },
  timeoutMs: {
    type: "integer",
    minimum: 1,
    maximum: LONGEST_TIMER,
    default: 60_000,
    description:
      "How long one call to the server may take, in milliseconds. limits.deadlineMs ends calls earlier where it is shorter: raise both.",
  },
  refreshMs: {
    type: "integer",
    minimum: 1_000,
    maximum: LONGEST_TIMER,
    default: 300_000,
    description: "How often the list of tools, or the document, is read again, in milliseconds.",
  },
} as const;

const MCP = {
  mcp: {
    type: "string",
    pattern: "^https?://",
    description: "Address of an MCP server that speaks streamable HTTP.",
    advice: "Write the whole address, such as https://example.com/mcp.",
  },
  tokenHeader: {
    type: "string",
    pattern: "^[A-Za-z0-9_.-]+$",
    description:
      "Header in which an MCP server wants the credential as it is, such as X-Api-Key, instead of a bearer token.",
    advice: "Write the name of the header alone; the credential itself is under token.",
  },
  oauth: OAUTH,
  trustAnnotations: {
    type: "boolean",
    default: false,
    description:
      "Whether to believe the server's hints: which of its tools only read or may be repeated, and what clients are told of exposed ones.",
  },
  relayQuestions: {
    type: "boolean",
    default: true,
    description: "Whether what a tool asks while it runs is passed on to whoever called it.",
  },
  ...REMOTE,
  ...EVERY_KIND,
} as const;

const OPENAPI = {
  openapi: {
    type: "string",
    minLength: 1,
    description:
      "OpenAPI or Swagger document of an API: an address, or a file relative to the configuration.",
  },
  server: {
    type: "string",
    pattern: "^https?://",
    description: "Address of the API, instead of the one that its document names.",
    advice: "Write the whole address, such as https://example.com/v1.",
  },
  variables: {
    type: "object",
    additionalProperties: { type: "string" },
    default: {},
    description: "Values for the variables in the server address that the document names.",
    advice: "Write each value as a text, such as region: eu.",
  },
  headers: {
    type: "object",
    additionalProperties: { type: "string" },
    default: {},
    description: "Headers that go with each call to the API.",
  },
  username: { ...SECRET, description: "Name for an API that asks for name and password." },
  password: { ...SECRET, description: "Password that belongs to the name." },
  apiKey: { ...SECRET, description: "Key for an API that asks for one; sent where its document says." },
  apiKeys: {
    type: "object",
    additionalProperties: SECRET,
    default: {},
    description: "Keys for an API that asks for several, by what its document calls them.",
  },
  clientId: { ...SECRET, description: "Name of the client by which tokens are asked for (OAuth 2)." },
  clientSecret: { ...SECRET, description: "Secret of the client by which tokens are asked for." },
  documentAuth: {
    type: ["boolean", "string"],
    pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    default: false,
    description:
      "Whether headers and token, or name and password, are sent to the address of the document too; for an API key, the name of its header.",
    advice: "Write true, or the name of the header that takes the API key, such as X-Api-Key.",
  },
  ...REMOTE,
  ...EVERY_KIND,
  operations: {
    ...OPERATIONS,
    additionalProperties: {
      type: "object",
      properties: {
        ...OVERRIDE,
        type: {
          enum: ["subscription"],
          description: "Of openapi: that it answers as a stream of events, where the document offers both.",
        },
      },
      additionalProperties: false,
    },
  },
} as const;

const PEER = {
  peer: {
    type: "string",
    pattern: "^wss?://",
    description: "Address of another Pinhole node, such as wss://west.example.com/call-protocol.",
    advice: "Write the whole address, such as wss://west.example.com/call-protocol.",
  },
  ...REMOTE,
  ...EVERY_KIND,
} as const;

const PLUGIN = {
  plugin: {
    type: "string",
    minLength: 1,
    description: "Module whose default export is a plugin, relative to the configuration.",
  },
  credentials: PLUGIN_CREDENTIALS,
  allowPrivate: {
    type: "boolean",
    default: false,
    description: "Whether context.fetch of its handlers may call this machine and private networks.",
  },
  ...EVERY_KIND,
} as const;

const kind = <Name extends string, Keys>(name: Name, properties: Keys) =>
  ({ type: "object", properties, required: [name], additionalProperties: false }) as const;

/** One schema for each kind of source; the key that makes a source one of a kind has the name of the kind. */
export const SOURCE_KINDS = {
  mcp: kind("mcp", MCP),
  openapi: kind("openapi", OPENAPI),
  peer: kind("peer", PEER),
  plugin: kind("plugin", PLUGIN),
} as const satisfies Readonly<Record<string, SchemaNode>>;

/** What a config says about its sources. */
export const SOURCES = {
  type: "object",
  description: "Where operations come from, each under a name of its own.",
  default: {},
  propertyNames: { pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", maxLength: 100 },
  // All keys of all kinds, as the program reads them; that each has only those of its kind is checked beside.
  additionalProperties: {
    type: "object",
    properties: {
      ...PLUGIN,
      ...PEER,
      ...MCP,
      ...OPENAPI,
      credentials: {
        ...CREDENTIALS,
        additionalProperties: SECRET,
        description:
          "Credentials that differ by who calls, instead of one token for all. Of a plugin: its secrets, as NAME: { env: VARIABLE }, for context.capabilities.get(NAME).",
      },
    },
    additionalProperties: false,
    kinds: SOURCE_KINDS,
  },
  advice:
    "A source is written as name: { mcp: https://… }, name: { openapi: ./api.yaml } or name: { plugin: ./file.ts }, the name without spaces.",
} as const;
