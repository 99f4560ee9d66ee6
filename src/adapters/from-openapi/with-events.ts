import { isRecord, type JsonSchema } from "../../core/index.ts";
import type { ApiOperation } from "../../formats/index.ts";
import type { ApiOverride } from "./options.ts";

/** An operation with the operator's settings about events. */
interface Configured {
  readonly operation: ApiOperation;
  /** Items of its stream are `{event, id?, data}`. */
  readonly wholeEvents: boolean;
  /** Settings without effect. */
  readonly problems: readonly string[];
}

/** Applies `type: subscription` and `events: full` to an operation of a document. */
export function withEvents(written: ApiOperation, { type, events }: ApiOverride): Configured {
  const operation = type === "subscription" ? asStream(written) : written;
  const streams = operation.type === "subscription";
  const wholeEvents = streams && events === "full";
  const problems = [
    ...(type === "subscription" && !streams
      ? ["type: subscription is not possible, because the document offers no events for it"]
      : []),
    ...(events === "full" && !streams
      ? ["events has no effect, because the operation does not answer with events"]
      : []),
  ];
  return {
    operation: wholeEvents ? { ...operation, outputSchema: eventOf(operation.outputSchema) } : operation,
    wholeEvents,
    problems,
  };
}

function asStream(operation: ApiOperation): ApiOperation {
  if (!operation.events) return operation;
  const { accept, itemSchema } = operation.events;
  return { ...operation, type: "subscription", accept, outputSchema: itemSchema };
}

const TEXT: JsonSchema = Object.freeze({ type: "string" });

/** The schema of a whole event. Definitions stay at the root, where references look for them. */
function eventOf(schema: JsonSchema): JsonSchema {
  const { $defs, ...data } = isRecord(schema) ? schema : {};
  return {
    type: "object",
    properties: { event: TEXT, id: TEXT, data: isRecord(schema) ? data : schema },
    required: ["event", "data"],
    ...($defs !== undefined && { $defs }),
  };
}
