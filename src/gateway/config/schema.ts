import { TOKEN_HASH_PATTERN } from "../../identity/index.ts";
import type { ConfigOf, SchemaNode } from "./config-type.ts";

/** Beyond this a timer of Node fires at once. */
const LONGEST_TIMER = 2_147_483_647;

const NAMES = { type: "array", items: { type: "string", minLength: 1 }, default: [] } as const;

const SECRET = {
  type: "object",
  properties: {
    env: {
      type: "string",
      pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
      description: "Name of the environment variable that holds the secret.",
    },
    file: {
      type: "string",
      minLength: 1,
      description: "File that holds the secret, relative to the configuration.",
    },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  sensitive: true,
  advice: "Write { env: NAME } or { file: path }: a secret itself never stands in the configuration.",
} as const;

const SERVER = {
  type: "object",
  description: "Where and how the gateway listens.",
  default: {},
  properties: {
    port: {
      type: "integer",
      minimum: 0,
      maximum: 65_535,
      default: 7464,
      flag: "port",
      description: "Port to listen on; 0 takes a free one.",
    },
    host: {
      type: "string",
      minLength: 1,
      default: "127.0.0.1",
      flag: "host",
      description: "Address to listen on; one that others can reach needs identities.",
    },
    allowedHosts: {
      ...NAMES,
      description: "Host names that requests may be addressed to, beside the one listened on.",
    },
    allowedOrigins: {
      ...NAMES,
      description: "Web origins whose pages may call the gateway, such as https://app.example.com.",
    },
    maxBodyBytes: {
      type: "integer",
      minimum: 1,
      default: 4_194_304,
      description: "Largest request body that is read.",
    },
    maxNesting: {
      type: "integer",
      minimum: 1,
      maximum: 512,
      default: 64,
      description: "How deep the JSON of a request may be nested.",
    },
    stateKey: {
      ...SECRET,
      description:
        "Secret that signs what clients keep for the gateway; without one, a new one at each start.",
    },
  },
  additionalProperties: false,
} as const;

const SOURCES = {
  type: "object",
  description: "Where operations come from, each under a name of its own.",
  default: {},
  propertyNames: { pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", maxLength: 100 },
  additionalProperties: {
    type: "object",
    properties: {
      plugin: {
        type: "string",
        minLength: 1,
        description: "Module whose default export is a plugin, relative to the configuration.",
      },
      mcp: {
        type: "string",
        pattern: "^https?://",
        description: "Address of an MCP server that speaks streamable HTTP.",
        advice: "Write the whole address, such as https://example.com/mcp.",
      },
      token: { ...SECRET, description: "Credential for the server, sent as a bearer token." },
      external: {
        type: ["string", "array"],
        items: { type: "string", minLength: 1 },
        default: [],
        description: 'Which operations callers can reach: "*" or patterns; the rest is for composition only.',
      },
      scopes: { ...NAMES, description: "Scopes that a caller needs for the operations of this source." },
      public: {
        type: "boolean",
        default: false,
        description: "Whether callers without a token may call, even where identities exist.",
      },
      trustAnnotations: {
        type: "boolean",
        default: false,
        description: "Whether to believe the server which of its tools only read or may be repeated.",
      },
      allowPrivate: {
        type: "boolean",
        default: false,
        description: "Whether the address may lie on this machine or in a private network.",
      },
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: LONGEST_TIMER,
        default: 60_000,
        description: "How long one call to the server may take, in milliseconds.",
      },
      refreshMs: {
        type: "integer",
        minimum: 1_000,
        maximum: LONGEST_TIMER,
        default: 300_000,
        description: "How often the list of tools is read again, in milliseconds.",
      },
      title: { type: "string", description: "Name of the source for people." },
      description: { type: "string", description: "What the source offers, in a sentence." },
    },
    additionalProperties: false,
  },
  advice:
    "A source is written as name: { mcp: https://… } or name: { plugin: ./file.ts }, the name without spaces.",
} as const;

const IDENTITIES = {
  type: "array",
  description: "Who may call with a token. `pinhole token` makes one.",
  default: [],
  items: {
    type: "object",
    properties: {
      id: { type: "string", minLength: 1, maxLength: 200, description: "Name of whoever holds the token." },
      tokenHash: {
        type: "string",
        pattern: TOKEN_HASH_PATTERN,
        description: "SHA-256 of the token; the token itself is kept nowhere.",
        advice: "Run `pinhole token` to make a token and its hash.",
      },
      scopes: { ...NAMES, description: "What the holder may do: the scopes that operations ask for." },
      resources: {
        type: "object",
        additionalProperties: { type: "array", items: { type: "string", minLength: 1 } },
        description: "Actions that are allowed on single resources, by type:id or type:*.",
      },
    },
    required: ["id", "tokenHash"],
    additionalProperties: false,
  },
  sensitive: true,
} as const;

const ACCESS = {
  type: "object",
  description: "Rules for all operations.",
  default: {},
  properties: {
    anonymous: {
      type: "boolean",
      default: true,
      description: "Whether operations without restrictions can be called without a token.",
    },
    hideForbidden: {
      type: "boolean",
      default: false,
      description: "Whether a call that lacks scopes is answered as if the operation did not exist.",
    },
  },
  additionalProperties: false,
} as const;

const LIMITS = {
  type: "object",
  description: "What one call may take.",
  default: {},
  properties: {
    deadlineMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER,
      default: 30_000,
      description: "How long a call may take, in milliseconds; subscriptions have no deadline.",
    },
    maxResultBytes: {
      type: "integer",
      minimum: 1,
      default: 1_048_576,
      description: "Largest result that is sent, as bytes of JSON.",
    },
    outputValidation: {
      enum: ["off", "warn", "enforce"],
      default: "warn",
      description: "What happens to an output that does not fit its schema: nothing, a warning, an error.",
    },
    batchSize: {
      type: "integer",
      minimum: 1,
      maximum: 1_000,
      default: 50,
      description: "How many calls a batch may have.",
    },
    batchConcurrency: {
      type: "integer",
      minimum: 1,
      maximum: 1_000,
      default: 8,
      description: "How many calls of one batch run at the same time.",
    },
  },
  additionalProperties: false,
} as const;

const MCP = {
  type: "object",
  description: "How the gateway answers MCP clients.",
  default: {},
  properties: {
    slowAfterMs: {
      type: "integer",
      minimum: 0,
      maximum: LONGEST_TIMER,
      default: 5_000,
      description: "After how many milliseconds a call that is still running is answered as a stream.",
    },
    keepAliveMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER,
      default: 15_000,
      description: "How often a sign of life goes over an open stream, in milliseconds.",
    },
  },
  additionalProperties: false,
} as const;

const LOG = {
  type: "object",
  description: "What the gateway writes about itself.",
  default: {},
  properties: {
    level: {
      enum: ["debug", "info", "warn", "error"],
      default: "info",
      description: "The least important messages that are still written.",
    },
  },
  additionalProperties: false,
} as const;

/** The one description of `pinhole.yaml`: defaults, types, validation, editor help and flags come from it. */
export const CONFIG_SCHEMA = {
  type: "object",
  properties: {
    server: SERVER,
    sources: SOURCES,
    identities: IDENTITIES,
    access: ACCESS,
    deny: {
      ...NAMES,
      description: "Operations that are switched off: names, or patterns such as pets/delete*.",
    },
    limits: LIMITS,
    mcp: MCP,
    log: LOG,
  },
  additionalProperties: false,
} as const satisfies SchemaNode;

/** A whole configuration, with all defaults in place. */
export type Config = ConfigOf<typeof CONFIG_SCHEMA>;

/** Where a secret is found: `{ env: NAME }` or `{ file: path }`. */
export type SecretReference = ConfigOf<typeof SECRET>;
