import { LONGEST_TIMER_MS } from "../../core/index.ts";
import type { ConfigOf } from "../config-type.ts";
import { CREDENTIALS } from "./credentials.ts";
import { NAMES, SECRET } from "./parts.ts";

/** Keys under `operations.NAME` of a source. */
export const OVERRIDE = {
  name: {
    type: "string",
    pattern: "^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*$",
    description: "Name to use instead, without the namespace.",
    advice: "A name has letters, digits, _ . and -, and slashes between its parts.",
  },
  description: { type: "string", minLength: 1, description: "Description to use instead." },
  external: {
    type: "boolean",
    description: "Callers can reach it or not, whatever `external` of the source says.",
  },
  scopes: {
    type: "array",
    items: { type: "string", minLength: 1 },
    description: "Scopes that a caller needs for it, instead of those of the source.",
  },
  aliases: {
    type: "array",
    items: { type: "string", minLength: 1 },
    description:
      "Aliases of it that stay; [] ends all of them. A deny that fits an alias switches the whole operation off.",
  },
} as const;

/** Keys under `operations` of a source. */
export const OPERATIONS = {
  type: "object",
  default: {},
  additionalProperties: { type: "object", properties: OVERRIDE, additionalProperties: false },
  description: "Settings of single operations, by their names.",
} as const;

/** Keys that every kind of source has. */
export const EVERY_KIND = {
  external: {
    type: ["string", "array"],
    items: { type: "string", minLength: 1 },
    description:
      'Operations that callers can reach: "*" or patterns; the rest is for composition only. Without it, none of an imported source, and of a plugin those that it does not keep internal itself.',
  },
  scopes: { ...NAMES, description: "Scopes that a caller needs for the operations of this source." },
  public: {
    type: "boolean",
    default: false,
    description: "Callers without a token may call, even if identities exist.",
  },
  operations: OPERATIONS,
  title: { type: "string", description: "Name of the source for people." },
  description: { type: "string", description: "The source in a sentence." },
} as const;

const TLS = {
  type: "object",
  description: "Certificates for an https or wss address; files are followed when they change.",
  properties: {
    ca: {
      ...SECRET,
      description: "Certificates that sign the server's (PEM), trusted instead of those of the system.",
    },
    certificate: { ...SECRET, description: "Certificate by which the gateway proves itself (PEM)." },
    key: { ...SECRET, description: "Private key that belongs to the certificate (PEM)." },
    serverName: {
      type: "string",
      minLength: 1,
      description: "Name that the server's certificate must have, if it is not that of the address.",
    },
  },
  minProperties: 1,
  additionalProperties: false,
} as const;

/** Keys of sources that are reached over a network. */
export const REMOTE = {
  tls: TLS,
  token: { ...SECRET, description: "Credential for the server, sent as a bearer token." },
  credentials: CREDENTIALS,
  allowPrivate: {
    type: "boolean",
    default: false,
    description:
      "Allow an address on this machine or in a private network; of a plugin, for what it fetches.",
  },
  timeoutMs: {
    type: "integer",
    minimum: 1,
    maximum: LONGEST_TIMER_MS,
    default: 60_000,
    description:
      "Longest time for one call to the server, in milliseconds. A shorter limits.deadlineMs ends calls earlier: raise both.",
  },
  refreshMs: {
    type: "integer",
    minimum: 1_000,
    maximum: LONGEST_TIMER_MS,
    default: 300_000,
    description: "Milliseconds after which the list of tools, or the document, is read again.",
  },
} as const;

/** Keys under `sources`. */
export const SOURCES = {
  type: "object",
  description: "Origins of operations, each under a name of its own.",
  default: {},
  propertyNames: { pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", maxLength: 100 },
  additionalProperties: { type: "object", properties: EVERY_KIND },
  advice:
    "A source is written as name: { mcp: https://… }, name: { openapi: ./api.yaml } or name: { plugin: ./file.ts }, the name without spaces.",
} as const;

/** Certificates of a source, as the config has them. */
export type TlsConfig = ConfigOf<typeof TLS>;

/** A source of one kind, with all defaults in place. */
export type SourceOf<Kind extends string, Keys> = ConfigOf<{
  readonly type: "object";
  readonly properties: Keys;
  readonly required: readonly [Kind];
}> & { readonly kind: Kind };

/** A source of any kind. */
export type SourceConfig = ConfigOf<{ readonly type: "object"; readonly properties: typeof EVERY_KIND }> & {
  readonly kind: string;
  readonly allowPrivate?: boolean;
  readonly credentials?: { readonly perIdentity?: Readonly<Record<string, unknown>> };
};
