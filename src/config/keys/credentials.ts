import type { ConfigOf } from "../config-type.ts";
import { NAMES, SECRET } from "./parts.ts";

/** Keys that hold one credential for all callers. Capabilities hold the secrets under the same names. */
export const CREDENTIAL_KEYS = [
  "token",
  "username",
  "password",
  "apiKey",
  "clientId",
  "clientSecret",
] as const;

/** Keys under `credentials` of a source that is reached over a network. */
export const CREDENTIALS = {
  type: "object",
  description:
    "Credentials that differ by caller, instead of one token for all. Of a plugin: its secrets, as NAME: { env: VARIABLE }, for context.capabilities.get(NAME).",
  properties: {
    perIdentity: {
      type: "object",
      additionalProperties: SECRET,
      default: {},
      description:
        "Credential of each caller, by the id of its identity; operator for commands such as pinhole call.",
      advice: "Write each one as id: { env: NAME } or id: { file: path }.",
    },
    default: { ...SECRET, description: "Credential for callers without one of their own." },
    discovery: {
      ...SECRET,
      description: "Credential for reading the list of tools, or the document; default unless given.",
    },
    as: {
      enum: ["token", "basic"],
      default: "token",
      description:
        "Form of the credentials: bearer tokens or API keys (token), or name:password of an API (basic).",
    },
  },
  additionalProperties: false,
} as const;

/** Credentials of a source, by caller. */
export type RemoteCredentials = ConfigOf<typeof CREDENTIALS>;

const { perIdentity, default: otherwise } = CREDENTIALS.properties;

/** Keys under `credentials` of a plugin. */
export const PLUGIN_CREDENTIALS = {
  type: "object",
  description:
    "Secrets that the handlers of the plugin get by context.capabilities.get(NAME), each under a name of its own.",
  properties: {
    perIdentity: { ...perIdentity, description: "Secret named token, by the id of the calling identity." },
    default: { ...otherwise, description: "Secret named token for callers without one of their own." },
  },
  additionalProperties: SECRET,
  advice: "Write each one as NAME: { env: VARIABLE } or NAME: { file: path }.",
} as const;

const KEY_ALGORITHMS = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "EdDSA",
] as const;

/** Keys under `oauth.identityProvider` of a source. */
const IDENTITY_PROVIDER = {
  type: "object",
  description:
    "The identity provider of a company that decides who may use the server. For enterprise_managed.",
  properties: {
    issuer: {
      type: "string",
      pattern: "^https?://",
      description: "Address of the identity provider, exactly as it calls itself.",
      advice: "Write the whole address, such as https://login.example.com.",
    },
    tokenUrl: {
      type: "string",
      pattern: "^https?://",
      description: "Its token endpoint, instead of issuer, if it does not describe itself (RFC 8414).",
      advice: "Write the whole address, such as https://login.example.com/oauth2/token.",
    },
    clientId: {
      type: "string",
      minLength: 1,
      description: "Name of the client at the identity provider, for which the ID token was issued.",
      advice: "A client id is not a secret: write it as it is.",
    },
    clientSecret: { ...SECRET, description: "Secret of the client at the identity provider, if it has one." },
    idToken: {
      ...SECRET,
      description:
        "ID token of the person or account that the gateway acts for. A file is read again when it changes.",
    },
  },
  required: ["clientId", "idToken"],
  additionalProperties: false,
} as const;

/** Keys under `oauth` of a source: tokens that the gateway gets by itself. */
export const OAUTH = {
  type: "object",
  description: "Tokens from the authorization server of an MCP server (OAuth 2.1).",
  properties: {
    grant: {
      enum: ["authorization_code", "client_credentials", "workload_identity", "enterprise_managed"],
      default: "authorization_code",
      description:
        "authorization_code: a person signs in with `pinhole login`. client_credentials: the gateway has an account of its own. workload_identity: the platform that the gateway runs on vouches for it. enterprise_managed: the identity provider of a company decides.",
      advice: "Leave it out if a person signs in.",
    },
    clientId: {
      type: "string",
      minLength: 1,
      description:
        "Name of the client at the authorization server, or the https address of its metadata. Without it the gateway registers itself.",
      advice: "A client id is not a secret: write it as it is.",
    },
    clientSecret: { ...SECRET, description: "Secret of the client, if it has one." },
    privateKey: {
      ...SECRET,
      description:
        "Key that the client signs with instead of sending a secret (private_key_jwt), in PEM or as a JWK. The authorization server knows its public half.",
    },
    keyAlgorithm: {
      enum: KEY_ALGORITHMS,
      description: "Algorithm of the signatures; the usual one of the key unless given.",
      advice: "Leave it out to use the usual algorithm of the key.",
    },
    keyId: {
      type: "string",
      minLength: 1,
      description: "Name of the key at the authorization server (kid), if it knows several of this client.",
    },
    dpop: {
      type: "boolean",
      default: false,
      description:
        "Whether to ask for tokens that are bound to a key of the gateway (DPoP), so that a stolen one is useless.",
    },
    workloadToken: {
      ...SECRET,
      description:
        "Token of the platform that says who the gateway is, such as the projected token of a Kubernetes service account. For workload_identity.",
    },
    identityProvider: IDENTITY_PROVIDER,
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

/** Settings of OAuth for a source. */
export type OauthConfig = ConfigOf<typeof OAUTH>;

/** Keys under `logins`. */
export const LOGINS = {
  type: "object",
  description: "Tokens that `pinhole login` got.",
  default: {},
  properties: {
    directory: {
      type: "string",
      minLength: 1,
      default: ".pinhole/logins",
      description: "Directory that keeps them, relative to the configuration; only its owner may read it.",
    },
  },
  additionalProperties: false,
} as const;
