import type { BatchEnvelope, Call, Entrance, Envelope, UnknownRecord, WireCall } from "../core/index.ts";
import type { ToolName } from "./shapes.ts";

/** An action with arguments that have passed `checkArguments`. */
export interface Action {
  readonly name: ToolName;
  readonly written: UnknownRecord;
}

/** Runs an action for a caller. Every wire comes through here. */
export function runAction(
  entrance: Entrance,
  { name, written }: Action,
  wire: WireCall = {},
): Promise<Envelope | BatchEnvelope> {
  switch (name) {
    case "search":
    case "schema":
      return entrance.call({ operation: `services/${name}`, input: written }, wire);
    case "batch":
      return entrance.batch(written.calls as unknown[], wire);
    case "call":
      return entrance.call(written as unknown as Call, wire);
  }
}
