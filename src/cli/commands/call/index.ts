import type { Command } from "../../command.ts";
import { CALL_EXIT_CODES, NODE_OPTIONS } from "../../options.ts";

/** `pinhole call`: runs one operation. */
export const call: Command = {
  name: "call",
  summary: "Runs one operation.",
  description:
    "Calls an operation of a running node (--url, PINHOLE_URL) or of the sources of pinhole.yaml here, and prints its " +
    "output. The input is JSON, @FILE with JSON in it, - for JSON from the standard input, or key=value pairs, in " +
    "which a dot leads into an object: body.title=Hello.",
  examples: [
    { line: "pinhole call text/stats text='two words'", meaning: "Gives the input as pairs." },
    { line: `pinhole call text/stats '{"text": "two words"}'`, meaning: "Gives it as JSON." },
    {
      line: "pinhole call text/stats @input.json --select words",
      meaning: "Takes it from a file, and a part of the output.",
    },
    {
      line: "pinhole call time/countdown from=3 --follow",
      meaning: "Prints what a subscription sends, line by line.",
    },
  ],
  arguments: [
    { name: "operation", description: "Its name, such as text/stats." },
    { name: "input", description: "JSON, @FILE, - or key=value pairs.", optional: true, rest: true },
  ],
  options: {
    select: { value: "JMESPATH", description: "Keeps only this part of the output." },
    follow: { description: "Follows a subscription; each item is one line of JSON." },
    ...NODE_OPTIONS,
  },
  exitCodes: CALL_EXIT_CODES,
  endsItself: true,
  run: async (invocation) => (await import("../../call-operation.ts")).runCall(invocation),
};
