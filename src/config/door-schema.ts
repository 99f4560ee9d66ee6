import { ALGORITHMS, ISSUER_NAME_PATTERN } from "../identity/index.ts";
import { NAMES, SECRET } from "./schema-parts.ts";
import { IDENTITY_POLICY } from "./surface-schema.ts";

const ADDRESS = {
  type: "string",
  pattern: "^https?://",
  advice: "Write the whole address, such as https://login.example.com.",
} as const;

/** Under which address others know the server. */
export const PUBLIC_URL = {
  type: "string",
  pattern: "^https?://[^\\s?#@]+$",
  description: "Address under which clients reach the gateway, where a proxy stands before it.",
  advice: "Write the address as clients do, such as https://tools.example.com.",
} as const;

/** By which certificate the server is known. */
export const TLS = {
  type: "object",
  description: "Certificate to serve HTTPS with, HTTP/2 and HTTP/1.1 on the same port.",
  properties: {
    cert: {
      type: "string",
      minLength: 1,
      description: "File with the certificate and its chain (PEM), relative to the configuration.",
    },
    key: { ...SECRET, description: "Private key that belongs to the certificate (PEM)." },
  },
  required: ["cert", "key"],
  additionalProperties: false,
} as const;

/** What a config says about those whose signed tokens are taken. */
export const ISSUERS = {
  type: "array",
  description: "Authorization servers whose signed tokens (JWT) are taken.",
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
        description: "Whom a token must be meant for: one name, or several of which one is enough.",
      },
      name: {
        type: "string",
        pattern: ISSUER_NAME_PATTERN,
        maxLength: 100,
        description: "What the ids of its holders begin with; the host name of the issuer unless given.",
      },
      jwksUri: { ...ADDRESS, description: "Where its keys are, for a server that has no metadata." },
      scopeClaim: {
        type: "string",
        minLength: 1,
        default: "scope",
        description: "Claim that has the scopes, or the way to it such as realm_access.roles.",
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
        description: "Clients whose tokens are taken; those of all clients unless some are named.",
      },
      accessTokensOnly: {
        type: "boolean",
        default: false,
        description: "Whether only tokens of the type at+jwt are taken (RFC 9068).",
      },
      algorithms: {
        type: "array",
        items: { enum: ALGORITHMS },
        default: [],
        description: "Algorithms that tokens may be signed with; all that use no shared secret unless given.",
      },
      clockToleranceSeconds: {
        type: "integer",
        minimum: 0,
        maximum: 300,
        default: 10,
        description: "How far the clocks of the server and of the gateway may be apart.",
      },
      allowPrivate: {
        type: "boolean",
        default: false,
        description: "Whether the server may lie on this machine or in a private network.",
      },
    },
    required: ["issuer", "audience"],
    additionalProperties: false,
  },
} as const;
