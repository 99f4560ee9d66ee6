import type { ActionAnswer, McpPost } from "../operator/index.ts";

/** What can be asked of a node; over MCP each is a tool. */
export const ACTIONS = ["search", "schema", "call", "batch"] as const;

/** One of them. */
export type Action = (typeof ACTIONS)[number];

/** A gateway to ask: one that runs somewhere, or what a configuration brings in. */
export interface PinholeNode {
  /** What to call it in a sentence. */
  readonly where: string;
  ask(action: Action, input: object): Promise<ActionAnswer>;
  /** The items of a subscription. */
  follow(call: object): AsyncIterable<unknown>;
  /** What its MCP address answers to a POST, for the caller of the token that the command line names. */
  mcp(request: McpPost): Promise<Response>;
  close(): Promise<void>;
}
