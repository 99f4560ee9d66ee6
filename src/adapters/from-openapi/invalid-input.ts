import { CallError } from "../../core/index.ts";

/** An input that fits its schema and still cannot be sent. */
export function invalidInput(path: string, problem: string): CallError {
  return new CallError("INVALID_INPUT", `${path} ${problem}. Nothing was sent; correct it and call again.`, {
    details: { path },
  });
}
