import type { Command } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions } from "../../config-options.ts";

/** `pinhole surface`: what an agent sees, and what that costs. */
export const surface: Command = {
  name: "surface",
  summary: "Shows what an agent sees, and what it costs.",
  description:
    "Brings in the sources of pinhole.yaml and lists the tools that an MCP client gets, each with about how many tokens of a " +
    "model's context it takes, against what all operations would take as tools of their own.",
  examples: [
    { line: "pinhole surface", meaning: "Shows the tools of what pinhole.yaml here says." },
    { line: "pinhole surface --facet reviews", meaning: "Shows those of one facet served alone." },
    { line: "pinhole surface --json", meaning: "Answers as JSON, for scripts." },
  ],
  options: { json: { description: "Prints JSON." }, config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  run: async (invocation) => (await import("./run.ts")).runSurface(invocation),
};
