import type { Command } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions } from "../../options.ts";

/** `pinhole surface`: shows the tools that an agent sees, and their cost. */
export const surface: Command = {
  name: "surface",
  summary: "Shows the tools that an agent sees, and their cost.",
  description:
    "Imports the sources of pinhole.yaml and lists the tools that an MCP client gets, each with an estimate of its tokens in a " +
    "model's context, compared to the cost of every operation as its own tool.",
  examples: [
    { line: "pinhole surface", meaning: "Shows the tools of pinhole.yaml here." },
    { line: "pinhole surface --facet reviews", meaning: "Shows those of one facet served alone." },
    { line: "pinhole surface --json", meaning: "Answers as JSON, for scripts." },
  ],
  options: { json: { description: "Prints JSON." }, config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  run: async (invocation) => (await import("./run.ts")).runSurface(invocation),
};
