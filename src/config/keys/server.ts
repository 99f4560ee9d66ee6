import { LONGEST_TIMER_MS } from "../../core/index.ts";
import { NAMES, SECRET } from "./parts.ts";

const PUBLIC_URL = {
  type: "string",
  pattern: "^https?://[^\\s?#@]+$",
  description: "Address under which clients reach the gateway, if a proxy is in front of it.",
  advice: "Write the address as clients do, such as https://tools.example.com.",
} as const;

const TLS = {
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

const CALL_PROTOCOL = {
  type: "object",
  description:
    "Call protocol, by which nodes and programs talk to the gateway. WebSocket is always served; these are further ways.",
  default: {},
  properties: {
    tcp: {
      type: "string",
      pattern: "^(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s:\\[\\]]+):\\d{1,5}$",
      description: "Address at which programs connect by a byte stream, such as 127.0.0.1:7465.",
      advice: "Write host:port, such as 127.0.0.1:7465.",
    },
    unix: {
      type: "string",
      minLength: 1,
      description: "Unix socket at which programs connect by a byte stream, relative to the configuration.",
    },
    nodeId: {
      type: "string",
      pattern: "^[A-Za-z0-9_.-]{1,64}$",
      description: "Unique name of this node, by which loops are found; random unless given.",
      advice: "Use letters, digits, '_', '.' and '-', at most 64 of them.",
    },
  },
  additionalProperties: false,
} as const;

const DECOY = {
  type: ["string", "object"],
  pattern: "^not-found$",
  description:
    "Answer at unknown addresses, and to callers without a valid token where one is needed, as if there were no gateway: not-found, or one of the keys below.",
  properties: {
    redirect: {
      type: "string",
      pattern: "^https?://[^\\s]+$",
      description: "Address that such requests are sent on to.",
      advice: "Write the whole address, such as https://example.com/.",
    },
    site: {
      type: "string",
      minLength: 1,
      description: "Folder of a web site to show, relative to the configuration.",
    },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  advice: "Write not-found, { redirect: https://example.com/ } or { site: ./folder }.",
} as const;

/** Keys under `server`. */
export const SERVER = {
  type: "object",
  description: "Address, certificate and limits of the server.",
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
      description: "Further host names that requests may be addressed to, besides the one listened on.",
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
      description: "Deepest nesting of the JSON in a request.",
    },
    callProtocol: CALL_PROTOCOL,
    decoy: DECOY,
    stateKey: {
      ...SECRET,
      description:
        "Secret that signs the state that clients keep for the gateway, session ids included; random at each start unless given.",
    },
  },
  additionalProperties: false,
} as const;

/** Keys under `http`. */
export const HTTP = {
  type: "object",
  description: "Answers over plain HTTP.",
  default: {},
  properties: {
    heartbeatMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER_MS,
      default: 15_000,
      description: "Longest silence of a subscription before a sign of life is sent, in milliseconds.",
    },
  },
  additionalProperties: false,
} as const;

/** Keys under `peers`. */
export const PEERS = {
  type: "object",
  description: "Nodes and programs that connect by the call protocol.",
  default: {},
  properties: {
    offers: {
      type: "object",
      description: "Operations that they offer, which exist as long as their connection does.",
      default: {},
      properties: {
        external: {
          ...NAMES,
          description:
            "Offers that all callers can reach: patterns of IDENTITY/NAME, such as build-bot/*. The rest is for the connection that offers it.",
        },
        scopes: { ...NAMES, description: "Scopes that a caller needs for those." },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
