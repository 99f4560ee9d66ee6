import type { ActionAnswer } from "../operator/index.ts";
import { CommandFailed } from "./command.ts";
import { CALL_EXIT } from "./node-options.ts";

/** The exit code for an error that a node answered with. */
export function exitCodeFor({ code }: { readonly code: string }): number {
  if (code === "NOT_FOUND") return CALL_EXIT.notFound;
  if (code === "FORBIDDEN") return CALL_EXIT.forbidden;
  return code === "INVALID_INPUT" ? CALL_EXIT.invalidInput : 1;
}

/** The output of a node; throws an error that ends the command with its exit code. */
export function answered(answer: ActionAnswer): Readonly<Record<string, unknown>> {
  if (answer.error === undefined) return answer;
  const { code, message } = answer.error;
  const hint =
    code === "INVALID_OPERATION_TYPE"
      ? "\nHere: pinhole call for one answer, pinhole subscribe for a stream."
      : "";
  throw new CommandFailed(exitCodeFor(answer.error), `${code}: ${message}${hint}`, answer.error);
}
