import {
  CallError,
  type InputAnswer,
  isRecord,
  type OperationContext,
  type UnknownRecord,
} from "../../core/index.ts";
import { TOOL_ERROR } from "./tools.ts";

/** How often one call may ask before it is taken for endless. */
export const MAX_ROUNDS = 10;

/** What the questions of one call are asked through. */
export type Caller = Pick<OperationContext, "requestInput" | "resume">;

/** What goes to the server for an answer: what was left open has the default that its question names (SEP-1034). */
export function toResponse({ action, content }: InputAnswer, schema: UnknownRecord): UnknownRecord {
  return action === "accept" ? { action, content: withDefaults(content ?? {}, schema) } : { action };
}

function withDefaults(content: unknown, { properties }: UnknownRecord): unknown {
  if (!isRecord(content) || !isRecord(properties)) return content;
  const missing = Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) && property.default !== undefined && !Object.hasOwn(content, name)
      ? [[name, property.default] as const]
      : [],
  );
  return { ...content, ...Object.fromEntries(missing) };
}

/** Answers no question: the operator does not want those of this source to be passed on. */
export function closedTo(what: string): Caller {
  const refuse = async () => {
    throw new CallError(
      "INVALID_OPERATION_TYPE",
      `${what} asks for input while it runs, which this gateway does not pass on for its source (relayQuestions: false). Give what it needs as input, or tell the operator.`,
    );
  };
  return { resume: undefined, requestInput: refuse };
}

/** For one that never has enough. */
export function endless(what: string): CallError {
  return new CallError(
    TOOL_ERROR.code,
    `${what} asked ${MAX_ROUNDS} times without coming to an end. Tell the operator of this gateway.`,
  );
}
