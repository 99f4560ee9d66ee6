import type { Command } from "../../command.ts";
import { CALL_EXIT_CODES, NODE_OPTIONS } from "../../options.ts";

/** `pinhole batch`: runs several operations at once. */
export const batch: Command = {
  name: "batch",
  summary: "Runs several operations at once.",
  description:
    "Takes a list of calls as JSON, and prints their results in the same order. One failure never fails another; the exit " +
    "code is 1 if any call failed.",
  examples: [
    {
      line: `pinhole batch '[{"operation": "time/now"}, {"operation": "text/stats", "input": {"text": "hi"}}]'`,
      meaning: "Runs two calls.",
    },
    { line: "pinhole batch @calls.json --json", meaning: "Takes them from a file and answers as JSON." },
    { line: "generate-calls | pinhole batch -", meaning: "Takes them from another program." },
  ],
  arguments: [{ name: "calls", description: "A list [{operation, input?, select?}]: JSON, @FILE or -." }],
  options: NODE_OPTIONS,
  exitCodes: CALL_EXIT_CODES,
  endsItself: true,
  run: async (invocation) => (await import("./run.ts")).runBatchOf(invocation),
};
