import { NAMES } from "./schema-parts.ts";

/** How the call protocol is served beside WebSocket. */
export const CALL_PROTOCOL = {
  type: "object",
  description:
    "The call protocol, by which nodes and programs talk to the gateway; WebSocket is always there.",
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
      description:
        "Name of this node that no other has, by which loops are found; a random one if not given.",
      advice: "Use letters, digits, '_', '.' and '-', at most 64 of them.",
    },
  },
  additionalProperties: false,
} as const;

/** What is said about those who connect. */
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
            "Which of them all callers can reach: patterns of IDENTITY/NAME, such as build-bot/*. The rest is for the connection that offers it.",
        },
        scopes: { ...NAMES, description: "Scopes that a caller needs for those." },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
