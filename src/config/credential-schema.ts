import type { ConfigOf } from "./config-type.ts";
import { NAMES, SECRET } from "./schema-parts.ts";

/** Keys that hold one credential for all callers. Capabilities hold the secrets under the same names. */
export const CREDENTIAL_KEYS = [
  "token",
  "username",
  "password",
  "apiKey",
  "clientId",
  "clientSecret",
] as const;

/** What a source says about whose credential a call runs with. */
export const CREDENTIALS = {
  type: "object",
  description:
    "Credentials that differ by who calls, instead of one token for all. Of a plugin: its secrets, as NAME: { env: VARIABLE }, for context.capabilities.get(NAME).",
  properties: {
    perIdentity: {
      type: "object",
      additionalProperties: SECRET,
      default: {},
      description:
        "The credential of each caller, by the id of its identity; operator for commands such as pinhole call.",
      advice: "Write each one as id: { env: NAME } or id: { file: path }.",
    },
    default: { ...SECRET, description: "Credential for everybody who has none of their own." },
    discovery: {
      ...SECRET,
      description:
        "Credential by which the list of tools, or the document, is read; default where it is not given.",
    },
    as: {
      enum: ["token", "basic"],
      default: "token",
      description: "What the credentials are: bearer tokens or API keys, or name:password of an API.",
    },
  },
  additionalProperties: false,
} as const;

/** Whose credential a call runs with, as the config has it. */
export type RemoteCredentials = ConfigOf<typeof CREDENTIALS>;

const { perIdentity, default: otherwise } = CREDENTIALS.properties;

/** What a plugin says about the secrets that its handlers use. */
export const PLUGIN_CREDENTIALS = {
  type: "object",
  description:
    "Secrets that the handlers of the plugin get by context.capabilities.get(NAME), each under a name of its own.",
  properties: {
    perIdentity: { ...perIdentity, description: "Secret named token, by the id of the identity that calls." },
    default: { ...otherwise, description: "Secret named token for everybody who has none of their own." },
  },
  additionalProperties: SECRET,
  advice: "Write each one as NAME: { env: VARIABLE } or NAME: { file: path }.",
} as const;

/** What a source says about tokens that the gateway gets by itself. */
export const OAUTH = {
  type: "object",
  description: "How the gateway gets tokens from the authorization server of an MCP server (OAuth 2.1).",
  properties: {
    grant: {
      enum: ["authorization_code", "client_credentials"],
      default: "authorization_code",
      description:
        "authorization_code: a person signs in with `pinhole login`. client_credentials: the gateway has an account of its own.",
    },
    clientId: {
      type: "string",
      minLength: 1,
      description:
        "Name of the client at the authorization server, or the https address of its metadata; it registers itself without.",
      advice: "A client id is no secret: write it as it is.",
    },
    clientSecret: { ...SECRET, description: "Secret of the client, where it has one." },
    scopes: {
      ...NAMES,
      description: "Scopes to ask for, instead of those that the server names.",
    },
    issuer: {
      type: "string",
      pattern: "^https?://",
      description: "The only authorization server that may be asked, exactly as it calls itself.",
      advice: "Write the whole address, such as https://login.example.com.",
    },
    redirectPort: {
      type: "integer",
      minimum: 0,
      maximum: 65_535,
      default: 0,
      description:
        "Port on this machine that `pinhole login` comes back to; 0 takes a free one, which most servers accept.",
    },
  },
  additionalProperties: false,
} as const;

/** How tokens are obtained, as the config has it. */
export type OauthConfig = ConfigOf<typeof OAUTH>;

/** Where logins are kept. */
export const LOGINS = {
  type: "object",
  description: "What `pinhole login` got.",
  default: {},
  properties: {
    directory: {
      type: "string",
      minLength: 1,
      default: ".pinhole/logins",
      description: "Directory that keeps it, relative to the configuration; only its owner may read it.",
    },
  },
  additionalProperties: false,
} as const;
