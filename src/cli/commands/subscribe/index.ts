import type { Command } from "../../command.ts";
import { CALL_EXIT_CODES, NODE_OPTIONS } from "../../options.ts";

/** `pinhole subscribe`: follows a subscription. */
export const subscribe: Command = {
  name: "subscribe",
  summary: "Follows a subscription.",
  description:
    "Starts a subscription of a running node (--url, PINHOLE_URL) or of the sources of pinhole.yaml here, and prints each " +
    "item as one line of JSON until it ends or Ctrl-C is pressed. The input has the same forms as for pinhole call.",
  examples: [
    { line: "pinhole subscribe time/countdown from=3", meaning: "Prints what it sends, line by line." },
    { line: `pinhole subscribe services/changes '{}'`, meaning: "Follows which operations come and go." },
  ],
  arguments: [
    { name: "operation", description: "Its name, such as time/countdown." },
    { name: "input", description: "JSON, @FILE, - or key=value pairs.", optional: true, rest: true },
  ],
  options: {
    select: { value: "JMESPATH", description: "Keeps only this part of each item." },
    ...NODE_OPTIONS,
  },
  exitCodes: CALL_EXIT_CODES,
  endsItself: true,
  run: async (invocation) => (await import("../../call-operation.ts")).runSubscribe(invocation),
};
