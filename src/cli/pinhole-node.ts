import type { ActionAnswer } from "../operator/index.ts";

/** What can be asked of a node. */
export type Action = "search" | "schema" | "call" | "batch";

/** A gateway to ask: one that runs somewhere, or what a configuration brings in. */
export interface PinholeNode {
  /** What to call it in a sentence. */
  readonly where: string;
  ask(action: Action, input: object): Promise<ActionAnswer>;
  /** The items of a subscription. */
  follow(call: object): AsyncIterable<unknown>;
  close(): Promise<void>;
}
