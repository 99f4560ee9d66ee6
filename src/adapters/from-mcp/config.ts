import { EVERY_KIND, OAUTH, REMOTE, type SourceOf } from "../../config/index.ts";

/** Keys of a source of the kind mcp. */
export const MCP_KEYS = {
  mcp: {
    type: "string",
    pattern: "^https?://",
    description: "Address of an MCP server that speaks streamable HTTP.",
    advice: "Write the whole address, such as https://example.com/mcp.",
  },
  tokenHeader: {
    type: "string",
    pattern: "^[A-Za-z0-9_.-]+$",
    description:
      "Header in which an MCP server wants the credential as it is, such as X-Api-Key, instead of a bearer token.",
    advice: "Write the name of the header alone; the credential itself is under token.",
  },
  oauth: OAUTH,
  trustAnnotations: {
    type: "boolean",
    default: false,
    description:
      "Whether to believe the server's hints: which of its tools only read or may be repeated, and what clients are told of exposed ones.",
  },
  relayQuestions: {
    type: "boolean",
    default: true,
    description: "Whether questions that a tool asks while it runs are passed on to its caller.",
  },
  ...REMOTE,
  ...EVERY_KIND,
} as const;

/** A source of the kind mcp, as the config has it. */
export type McpConfig = SourceOf<"mcp", typeof MCP_KEYS>;
