import type { ConfigOf } from "./config-type.ts";
import { CREDENTIALS } from "./credential-schema.ts";
import { LONGEST_TIMER, NAMES, SECRET } from "./schema-parts.ts";

/** What a config can say differently about one operation. */
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
    description: "Whether callers can reach it, whatever `external` of the source says.",
  },
  scopes: {
    type: "array",
    items: { type: "string", minLength: 1 },
    description: "Scopes that a caller needs for it, instead of those of the source.",
  },
} as const;

/** What a config says differently about single operations. */
export const OPERATIONS = {
  type: "object",
  default: {},
  additionalProperties: { type: "object", properties: OVERRIDE, additionalProperties: false },
  description: "What is said differently about single operations, by their names.",
} as const;

/** Keys that every kind of source has. */
export const EVERY_KIND = {
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

/** Keys of sources that are reached over a network. */
export const REMOTE = {
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

/** A source as the config has it once its defaults are in place: `kind` says which of its kinds it is of. */
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
