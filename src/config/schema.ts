import { TOKEN_HASH_PATTERN } from "../identity/index.ts";
import type { ConfigOf, SchemaNode } from "./config-type.ts";
import { LOGINS } from "./credential-schema.ts";
import { ISSUERS, PUBLIC_URL, TLS } from "./door-schema.ts";
import { CALL_PROTOCOL, PEERS } from "./peer-schema.ts";
import { NAMES, SECRET } from "./schema-parts.ts";
import { SEARCH } from "./search-schema.ts";
import { EVERY_KIND, type SourceConfig } from "./source-keys.ts";
import { type SourceKinds, sourceSchema } from "./source-kinds.ts";
import { AUDIT, FACETS, HTTP, IDENTITY_POLICY, LIMITS, LOCK, MCP, TELEMETRY } from "./surface-schema.ts";

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
    publicUrl: PUBLIC_URL,
    tls: TLS,
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
      default: 2_097_152,
      description: "Largest request body that is read.",
    },
    maxNesting: {
      type: "integer",
      minimum: 1,
      maximum: 512,
      default: 64,
      description: "How deep the JSON of a request may be nested.",
    },
    callProtocol: CALL_PROTOCOL,
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
      ...IDENTITY_POLICY,
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
      description:
        "Whether callers without a token are let in; they are while there is no identity and no issuer, and not after that unless this is true. Of a source they reach only what is public then.",
    },
    hideForbidden: {
      type: "boolean",
      default: false,
      description: "Whether a call that lacks scopes is answered as if the operation did not exist.",
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

const SOURCES = {
  type: "object",
  description: "Where operations come from, each under a name of its own.",
  default: {},
  propertyNames: { pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", maxLength: 100 },
  additionalProperties: { type: "object", properties: EVERY_KIND },
  advice:
    "A source is written as name: { mcp: https://… }, name: { openapi: ./api.yaml } or name: { plugin: ./file.ts }, the name without spaces.",
} as const;

/** Everything in `pinhole.yaml` but the keys of single kinds of source. */
export const OWN_SCHEMA = {
  type: "object",
  properties: {
    server: SERVER,
    sources: SOURCES,
    identities: IDENTITIES,
    issuers: ISSUERS,
    access: ACCESS,
    deny: {
      ...NAMES,
      description: "Operations that are switched off: names, or patterns such as pets/delete*.",
    },
    lock: LOCK,
    logins: LOGINS,
    facets: FACETS,
    limits: LIMITS,
    audit: AUDIT,
    telemetry: TELEMETRY,
    mcp: MCP,
    http: HTTP,
    peers: PEERS,
    search: SEARCH,
    log: LOG,
  },
  additionalProperties: false,
} as const satisfies SchemaNode;

/** The one description of `pinhole.yaml`: defaults, types, validation, editor help and flags come from it. */
export function configSchema(
  kinds: SourceKinds,
): SchemaNode & { readonly properties: typeof OWN_SCHEMA.properties } {
  const { sources } = OWN_SCHEMA.properties;
  const withKinds = { ...sources, additionalProperties: sourceSchema(kinds) };
  return { ...OWN_SCHEMA, properties: { ...OWN_SCHEMA.properties, sources: withKinds as typeof sources } };
}

/** A whole configuration, with all defaults in place. */
export type Config = Omit<ConfigOf<typeof OWN_SCHEMA>, "sources"> & {
  readonly sources: Readonly<Record<string, SourceConfig>>;
};

/** Where a secret is found: `{ env: NAME }` or `{ file: path }`. */
export type SecretReference = ConfigOf<typeof SECRET>;
