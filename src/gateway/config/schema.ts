import { TOKEN_HASH_PATTERN } from "../../identity/index.ts";
import type { ConfigOf, SchemaNode } from "./config-type.ts";
import { LONGEST_TIMER, NAMES, SECRET } from "./schema-parts.ts";
import { SEARCH } from "./search-schema.ts";
import { SOURCES } from "./source-schema.ts";

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
    search: SEARCH,
    log: LOG,
  },
  additionalProperties: false,
} as const satisfies SchemaNode;

/** A whole configuration, with all defaults in place. */
export type Config = ConfigOf<typeof CONFIG_SCHEMA>;

/** Where a secret is found: `{ env: NAME }` or `{ file: path }`. */
export type SecretReference = ConfigOf<typeof SECRET>;
