import type { Command } from "../../command.ts";
import { CALL_EXIT_CODES, NODE_OPTIONS } from "../../options.ts";

/** `pinhole schema`: shows how to call operations. */
export const schema: Command = {
  name: "schema",
  summary: "Shows how to call operations.",
  description:
    "Shows the input, the output and the errors of up to ten operations, of a running node (--url, PINHOLE_URL) or " +
    "of the sources of pinhole.yaml here.",
  examples: [
    { line: "pinhole schema text/stats", meaning: "Shows one operation." },
    { line: "pinhole schema text/stats time/now --json", meaning: "Shows two, with their schemas." },
  ],
  arguments: [{ name: "names", description: "Operations such as text/stats.", rest: true }],
  options: NODE_OPTIONS,
  exitCodes: CALL_EXIT_CODES,
  run: async (invocation) => (await import("./run.ts")).runSchema(invocation),
};
