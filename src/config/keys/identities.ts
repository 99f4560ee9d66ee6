import { ALGORITHMS, ISSUER_NAME_PATTERN, TOKEN_HASH_PATTERN } from "../../identity/index.ts";
import { IDENTITY_POLICY } from "./limits.ts";
import { NAMES } from "./parts.ts";

const ADDRESS = {
  type: "string",
  pattern: "^https?://",
  advice: "Write the whole address, such as https://login.example.com.",
} as const;

/** Items of `identities`. */
export const IDENTITIES = {
  type: "array",
  description: "Callers with a token. `pinhole token` makes one.",
  default: [],
  items: {
    type: "object",
    properties: {
      id: { type: "string", minLength: 1, maxLength: 200, description: "Name of the holder of the token." },
      tokenHash: {
        type: "string",
        pattern: TOKEN_HASH_PATTERN,
        description: "SHA-256 of the token; the token itself is not kept.",
        advice: "Run `pinhole token` to make a token and its hash.",
      },
      scopes: { ...NAMES, description: "Scopes of the holder, which operations ask for." },
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

/** Items of `issuers`. */
export const ISSUERS = {
  type: "array",
  description: "Authorization servers whose signed tokens (JWT) are accepted.",
  default: [],
  items: {
    type: "object",
    properties: {
      issuer: { ...ADDRESS, description: "Identifier of the server, exactly as its tokens have it." },
      audience: {
        type: ["string", "array"],
        items: { type: "string", minLength: 1 },
        minLength: 1,
        minItems: 1,
        description: "Audience that a token must have: one name, or a list of names that are all accepted.",
      },
      name: {
        type: "string",
        pattern: ISSUER_NAME_PATTERN,
        maxLength: 100,
        description: "Prefix of the ids of its holders; the host name of the issuer unless given.",
      },
      jwksUri: { ...ADDRESS, description: "Address of its keys, for a server without metadata." },
      scopeClaim: {
        type: "string",
        minLength: 1,
        default: "scope",
        description: "Claim with the scopes, or the path to it, such as realm_access.roles.",
      },
      idClaim: {
        type: "string",
        minLength: 1,
        default: "sub",
        description: "Claim that tells one holder from another and never changes hands.",
      },
      ...IDENTITY_POLICY,
      scopes: { ...NAMES, description: "Scopes that clients are told to ask for when they sign in." },
      furtherScopes: {
        ...NAMES,
        description: "Scopes that a client is sent back for when a call needs them.",
      },
      clients: {
        ...NAMES,
        description: "Clients whose tokens are accepted; all clients unless some are named.",
      },
      accessTokensOnly: {
        type: "boolean",
        default: false,
        description: "Accept only tokens of the type at+jwt (RFC 9068).",
      },
      algorithms: {
        type: "array",
        items: { enum: ALGORITHMS },
        default: [],
        description: "Algorithms that tokens may be signed with; all without a shared secret unless given.",
      },
      clockToleranceSeconds: {
        type: "integer",
        minimum: 0,
        maximum: 300,
        default: 10,
        description: "Largest difference between the clocks of the server and of the gateway.",
      },
      allowPrivate: {
        type: "boolean",
        default: false,
        description: "Allow a server on this machine or in a private network.",
      },
    },
    required: ["issuer", "audience"],
    additionalProperties: false,
  },
} as const;

/** Keys under `access`. */
export const ACCESS = {
  type: "object",
  description: "Rules for all operations.",
  default: {},
  properties: {
    anonymous: {
      type: "boolean",
      description:
        "Accept callers without a token. Unless given, they are accepted only while there is no identity and no issuer. If this is true besides identities or issuers, they reach only sources with public: true.",
    },
    hideForbidden: {
      type: "boolean",
      default: false,
      description: "Answer a call that lacks scopes as if the operation did not exist.",
    },
    tellMissingScopes: {
      type: "boolean",
      default: false,
      description:
        "Tell a caller with an identity, when its call is FORBIDDEN, which scopes or resources it lacks.",
    },
  },
  additionalProperties: false,
} as const;
