import type { ActionAnswer, McpPost } from "../operator/index.ts";

/** Actions of a node; over MCP each is a tool. */
export const ACTIONS = ["search", "schema", "call", "batch"] as const;

/** One of them. */
export type Action = (typeof ACTIONS)[number];

/** A gateway to call: a running one, or one from a configuration. */
export interface PinholeNode {
  /** Its name in a sentence. */
  readonly where: string;
  ask(action: Action, input: object): Promise<ActionAnswer>;
  /** The items of a subscription. */
  follow(call: object): AsyncIterable<unknown>;
  /** Posts to its MCP endpoint with the token of the command line. */
  mcp(request: McpPost): Promise<Response>;
  close(): Promise<void>;
}
