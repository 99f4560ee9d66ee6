import { EVERY_KIND, OPERATIONS, OVERRIDE, REMOTE, SECRET, type SourceOf } from "../../config/index.ts";

/** Keys of a source of the kind openapi. */
export const OPENAPI_KEYS = {
  openapi: {
    type: "string",
    minLength: 1,
    description:
      "OpenAPI or Swagger document of an API: an address, or a file relative to the configuration.",
  },
  server: {
    type: "string",
    pattern: "^https?://",
    description: "Address of the API, instead of the one that its document names.",
    advice: "Write the whole address, such as https://example.com/v1.",
  },
  variables: {
    type: "object",
    additionalProperties: { type: "string" },
    default: {},
    description: "Values for the variables in the server address that the document names.",
    advice: "Write each value as a text, such as region: eu.",
  },
  headers: {
    type: "object",
    additionalProperties: { type: "string" },
    default: {},
    description: "Headers that go with each call to the API.",
  },
  username: { ...SECRET, description: "Name for an API that asks for name and password." },
  password: { ...SECRET, description: "Password that belongs to the name." },
  apiKey: { ...SECRET, description: "Key for an API that asks for one; sent where its document says." },
  apiKeys: {
    type: "object",
    additionalProperties: SECRET,
    default: {},
    description: "Keys for an API that asks for several, by what its document calls them.",
  },
  clientId: { ...SECRET, description: "Name of the client by which tokens are asked for (OAuth 2)." },
  clientSecret: { ...SECRET, description: "Secret of the client by which tokens are asked for." },
  documentAuth: {
    type: ["boolean", "string"],
    pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    default: false,
    description:
      "Whether headers and token, or name and password, are sent to the address of the document too; for an API key, the name of its header.",
    advice: "Write true, or the name of the header that takes the API key, such as X-Api-Key.",
  },
  ...REMOTE,
  ...EVERY_KIND,
  operations: {
    ...OPERATIONS,
    additionalProperties: {
      type: "object",
      properties: {
        ...OVERRIDE,
        type: {
          enum: ["subscription"],
          description: "Of openapi: that it answers as a stream of events, where the document offers both.",
        },
        events: {
          enum: ["full"],
          description:
            "Of openapi: items of its stream are whole events {event, id?, data}, instead of their data alone.",
        },
      },
      additionalProperties: false,
    },
  },
} as const;

/** A source of the kind openapi, as the config has it. */
export type OpenapiConfig = SourceOf<"openapi", typeof OPENAPI_KEYS>;
