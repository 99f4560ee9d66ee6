import type { ConfigOf, SchemaNode } from "./config-type.ts";
import { LOGINS } from "./keys/credentials.ts";
import { ACCESS, IDENTITIES, ISSUERS } from "./keys/identities.ts";
import { LIMITS } from "./keys/limits.ts";
import { AUDIT, LOG, TELEMETRY } from "./keys/log.ts";
import { ALIASES, FACETS, MCP, SEARCH } from "./keys/mcp.ts";
import { NAMES, type SECRET } from "./keys/parts.ts";
import { HTTP, PEERS, SERVER } from "./keys/server.ts";
import { SOURCES, type SourceConfig } from "./keys/sources.ts";
import { type SourceKinds, sourceSchema } from "./source-kinds.ts";

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
    lock: {
      enum: ["off", "warn", "enforce"],
      default: "off",
      description:
        "Imported definitions that are not in pinhole.lock: they pass (off), are logged (warn), or are withheld (enforce).",
    },
    logins: LOGINS,
    facets: FACETS,
    aliases: ALIASES,
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

/** A reference to a secret: `{ env: NAME }` or `{ file: path }`. */
export type SecretReference = ConfigOf<typeof SECRET>;
